// koa-classic-server with the settings that its README recommends for production. PAGE: entries a page, 0 for all.
const Koa = require('koa'), { default: classic } = require('koa-classic-server');

const app = new Koa(), serve = classic || require('koa-classic-server');
const page = +process.env.PAGE;

app.use(serve(process.env.WWW, {
	browserCacheEnabled: true,
	dirListing: page ? { enabled: true, entriesPerPage: page } : { enabled: true, entriesPerPage: 0, maxEntries: 0 },
}));
app.listen(+process.env.PORT, '127.0.0.1');
