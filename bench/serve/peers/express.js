// Express as its documents show it: routes for what is dynamic, express.static and serve-index for the rest.
const express = require('express'), fs = require('fs');

const www = process.env.WWW, app = express();
const page = fs.readFileSync(www + '/f/page.html', 'utf8'), big = JSON.parse(fs.readFileSync(www + '/f/big.json'));

if (process.env.COMPRESS)
	app.use(require('compression')());
app.get('/f/hello.json', (request, response) => response.json({ hello: true }));
app.get('/f/page.html', (request, response) => response.send(page));
app.get('/f/big.json', (request, response) => response.json(big));
app.use(express.static(www));
app.use(require('serve-index')(www, { view: 'details' }));
app.listen(+process.env.PORT, '127.0.0.1');
