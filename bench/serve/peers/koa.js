// Koa alone, for the dynamic answers.
const Koa = require('koa'), fs = require('fs');

const www = process.env.WWW, app = new Koa();
const page = fs.readFileSync(www + '/f/page.html', 'utf8'), big = JSON.parse(fs.readFileSync(www + '/f/big.json'));

if (process.env.COMPRESS)
	app.use(require('koa-compress')());
app.use(ctx => {
	if (ctx.path === '/f/hello.json')
		ctx.body = { hello: true };
	else if (ctx.path === '/f/page.html')
		ctx.body = page;
	else if (ctx.path === '/f/big.json')
		ctx.body = big;
});
app.listen(+process.env.PORT, '127.0.0.1');
