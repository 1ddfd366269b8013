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
