const { Readable } = require('node:stream');

module.exports = {
  page(ctx) {
    ctx.body = 'Hello from the page';
  },
  /** The rows that each Strapi has. */
  async list(ctx) {
    const populate = { role: { populate: ['permissions'] } };
    ctx.body = await strapi.db.query('admin::permission').findMany({ populate, limit: 40 });
  },
  async slow(ctx) {
    const response = await fetch(process.env.BACKEND_URL);
    ctx.body = `The slow answer is ${await response.text()}`;
  },
  async own(ctx) {
    const { status } = await fetch(`http://127.0.0.1:${process.env.PORT}/api/slow`);
    ctx.body = `The slow page answered ${status}`;
  },
  stream(ctx) {
    ctx.type = 'text/plain';
    ctx.body = Readable.from(parts(), { objectMode: false });
  },
};

async function* parts() {
  yield 'first\n';
  await fetch(process.env.BACKEND_URL);
  yield 'last\n';
}
