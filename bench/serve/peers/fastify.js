// Fastify with a schema for the small answer, as in its own benchmarks, and @fastify/static with an HTML listing.
const fastify = require('fastify')(), fs = require('fs');

const www = process.env.WWW;
const page = fs.readFileSync(www + '/f/page.html', 'utf8'), big = JSON.parse(fs.readFileSync(www + '/f/big.json'));
const schema = { response: { 200: { type: 'object', properties: { hello: { type: 'boolean' } } } } };

const row = (e, end, stats) => `<tr><td><a href="${e.href}${end}">${e.name}${end}</a></td><td>${stats.size}</td>` +
	`<td>${stats.mtime.toISOString()}</td></tr>`;
const render = (dirs, files) => '<!doctype html><table>' + dirs.map(d => row(d, '/', d.stats)).join('\n') +
	files.map(f => row(f, '', f.stats)).join('\n') + '</table>';

async function start() {
	if (process.env.COMPRESS)
		await fastify.register(require('@fastify/compress'));
	fastify.get('/f/hello.json', { schema }, (request, reply) => reply.send({ hello: true }));
	fastify.get('/f/page.html', (request, reply) => reply.type('text/html; charset=utf-8').send(page));
	fastify.get('/f/big.json', (request, reply) => reply.send(big));
	await fastify.register(require('@fastify/static'),
		{ root: www, index: false, list: { format: 'html', names: ['/'], render } });
	await fastify.listen({ port: +process.env.PORT, host: '127.0.0.1' });
}
start();
