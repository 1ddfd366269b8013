// Koa: one limit for the app, and a smaller one for each address.
import { setTimeout as work } from 'node:timers/promises';
import { concurrencyLimit, ipKey } from '@headgate/koa';
import Koa from 'koa';

const app = new Koa();
const port = Number(process.env.PORT ?? 3000);

app.use(
  concurrencyLimit({
    limits: [
      { name: 'address', key: (ctx) => ipKey(ctx.ip), limit: 2, queueLimit: 2, statusCode: 429 },
      { name: 'app', limit: 100 },
    ],
    queueLimit: 200,
    queueTimeout: 2_000,
    maxHold: 30_000,
    headers: true,
    skip: (ctx) => ctx.path === '/health',
  }),
);

app.use(async (ctx) => {
  if (ctx.path === '/health') {
    ctx.body = 'ok';
    return;
  }
  await work(500); // placeholder for the real work
  ctx.body = `Waited ${ctx.state.admission?.waited} ms\n`;
});

app.listen(port, () => console.log(`http://localhost:${port}`));
