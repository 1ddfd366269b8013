import { concurrencyLimit as expressLimit } from '@headgate/express';
import { concurrencyLimit as honoLimit } from '@headgate/hono';
import { concurrencyLimit as koaLimit } from '@headgate/koa';
import express from 'express';
import { Hono } from 'hono';
import Koa from 'koa';

express().use(expressLimit({ limit: 4, key: (req) => req.ip }));
new Koa().use(koaLimit({ limit: 4, key: (ctx) => ctx.ip }));
new Hono().use(honoLimit({ limit: 4, key: (c) => c.req.header('x-tenant') }));
