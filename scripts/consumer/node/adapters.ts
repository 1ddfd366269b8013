import { createServer } from 'node:http';
import { concurrencyLimit as expressLimit } from '@headgate/express';
import { concurrencyLimit as fastifyLimit } from '@headgate/fastify';
import { concurrencyLimit as honoLimit } from '@headgate/hono';
import { concurrencyLimit as koaLimit } from '@headgate/koa';
import { concurrencyLimit as nodeLimit } from '@headgate/node';
import express from 'express';
import Fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';

const app = express().use(expressLimit({ limit: 4, key: (req) => req.ip }));
app.get('/', (_req, res) => {
  res.send(`${res.locals.admission?.waited}`);
  // @ts-expect-error: the admission has a type
  res.locals.admission?.wait;
});
const koa = new Koa();
koa.use(koaLimit({ limit: 4, key: (ctx) => ctx.ip }));
koa.use((ctx) => {
  ctx.body = ctx.state.admission?.waited;
  // @ts-expect-error: the admission has a type
  ctx.state.admission?.wait;
});
Fastify().register(fastifyLimit({ limit: 4, key: (request) => request.ip }));
createServer(
  nodeLimit({ limit: 4, key: (req) => req.socket.remoteAddress })((_req, res) => res.end('ok')),
);
new Hono().use(honoLimit({ limit: 4, key: (c) => c.req.header('x-tenant') }));
