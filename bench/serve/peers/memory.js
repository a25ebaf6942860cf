// The least that Node can do: every small file in memory from the start, a table look-up a request.
const fs = require('fs'), http = require('http'), path = require('path');

const types = { '.html': 'text/html; charset=utf-8', '.txt': 'text/plain; charset=utf-8', '.json': 'application/json' };
const files = new Map();

for (const name of fs.readdirSync(process.env.WWW + '/f')) {
	const full = process.env.WWW + '/f/' + name, stat = fs.statSync(full);
	if (stat.isFile() && stat.size <= 2 << 20)
		files.set('/f/' + name,
			{ body: fs.readFileSync(full), type: types[path.extname(name)] || 'application/octet-stream' });
}

http.createServer((request, response) => {
	const file = files.get(request.url);
	response.writeHead(file ? 200 : 404, file ? { 'Content-Type': file.type, 'Content-Length': file.body.length } : {});
	response.end(file && file.body);
}).listen(+process.env.PORT, '127.0.0.1');
