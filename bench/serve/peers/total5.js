// Total.js 5. Routes have no extension: what has one is looked for in public/.
const fs = require('fs');

const www = process.env.WWW, directory = process.cwd();
const page = fs.readFileSync(www + '/f/page.html', 'utf8'), big = JSON.parse(fs.readFileSync(www + '/f/big.json'));

fs.symlinkSync(www, directory + '/public');
require('total5');
ROUTE('GET /hello', $ => $.json({ hello: true }));
ROUTE('GET /page', $ => $.html(page));
ROUTE('GET /big', $ => $.json(big));
Total.http({ port: +process.env.PORT, ip: '127.0.0.1', release: true, load: 'none' });
