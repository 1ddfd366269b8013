import { createServer } from 'node:http';
import { concurrencyLimit as expressLimit } from '@headgate/express';
import { concurrencyLimit as honoLimit } from '@headgate/hono';
import { concurrencyLimit as koaLimit } from '@headgate/koa';
import { concurrencyLimit as nodeLimit } from '@headgate/node';
import express from 'express';
import { Hono } from 'hono';
import Koa from 'koa';

express().use(expressLimit({ limit: 4, key: (req) => req.ip }));
new Koa().use(koaLimit({ limit: 4, key: (ctx) => ctx.ip }));
createServer(
  nodeLimit({ limit: 4, key: (req) => req.socket.remoteAddress })((_req, res) => res.end('ok')),
);
new Hono().use(honoLimit({ limit: 4, key: (c) => c.req.header('x-tenant') }));
