// One small server for each adapter, with the handler `work` behind a limit.
const { createServer } = require('node:http');

/** What a package exports as default, or a CommonJS module as a whole. */
const main = (module) => module.default ?? module;

async function listen(server) {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: server.address().port, close: () => closed(server) };
}

function closed(server) {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
}

async function express(load, work, options) {
  const { concurrencyLimit } = await load('@headgate/express');
  const app = main(await load('express'))();
  app.use(concurrencyLimit(options));
  app.get('/', async (_req, res) => res.send(await work()));
  return listen(createServer(app));
}

async function koa(load, work, options) {
  const { concurrencyLimit } = await load('@headgate/koa');
  const Koa = main(await load('koa'));
  const app = new Koa();
  app.use(concurrencyLimit(options));
  app.use(async (ctx) => {
    ctx.body = await work();
  });
  return listen(createServer(app.callback()));
}

async function fastify(load, work, options) {
  const { concurrencyLimit } = await load('@headgate/fastify');
  const app = main(await load('fastify'))();
  await app.register(concurrencyLimit(options));
  app.get('/', work);
  await app.listen({ port: 0, host: '127.0.0.1' });
  return { port: app.server.address().port, close: () => app.close() };
}

async function hono(load, work, options) {
  const { concurrencyLimit } = await load('@headgate/hono');
  const { Hono } = await load('hono');
  const { getRequestListener } = await load('@hono/node-server');
  const app = new Hono();
  app.use(concurrencyLimit(options));
  app.get('/', async (c) => c.text(await work()));
  return listen(createServer(getRequestListener(app.fetch)));
}

async function web(load, work, options) {
  const { concurrencyLimit } = await load('@headgate/web');
  const { getRequestListener } = await load('@hono/node-server');
  const handler = concurrencyLimit(options).wrap(async () => new Response(await work()));
  return listen(createServer(getRequestListener(handler)));
}

async function node(load, work, options) {
  const { concurrencyLimit } = await load('@headgate/node');
  const handler = async (_req, res) => res.end(await work());
  return listen(createServer(concurrencyLimit(options)(handler)));
}

async function nestjs(load, work, options) {
  await load('reflect-metadata');
  const { ConcurrencyLimitModule } = await load('@headgate/nestjs');
  const { Controller, Get, Module } = await load('@nestjs/common');
  const { NestFactory } = await load('@nestjs/core');
  class AppController {
    index() {
      return work();
    }
  }
  const { prototype } = AppController;
  Get()(prototype, 'index', Object.getOwnPropertyDescriptor(prototype, 'index'));
  Controller()(AppController);
  class AppModule {}
  const imports = [ConcurrencyLimitModule.forRoot(options)];
  Module({ imports, controllers: [AppController] })(AppModule);
  const app = await NestFactory.create(AppModule, { logger: false });
  await app.listen(0, '127.0.0.1');
  return { port: app.getHttpServer().address().port, close: () => app.close() };
}

exports.servers = { express, koa, fastify, hono, web, node, nestjs };
