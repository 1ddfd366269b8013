import type { AddressInfo } from 'node:net';
import type { ConcurrencyLimit } from '@headgate/hono';
import { ownServer, serverName } from '@headgate/test-kit/own-server';
import { adapterSuite, type FrameworkDriver } from '@headgate/test-suite';
import { type Handler, Hono } from 'hono';
import { beforeEach, expect, it } from 'vitest';
import { honoApp, honoLimit } from '../suite-app.ts';

/** Bun and Deno run this file: `npm run compat -- runtimes`. It must not import Hono's Node server, which replaces Response. */
const framework: FrameworkDriver<ConcurrencyLimit> = {
  name: `Hono 4 with ${serverName}`,
  can: { tracksHandlers: true, http2: false },
  limit: honoLimit,
  listener: () => {
    throw new Error('This test needs a server of node:http.');
  },
  server: (app) => ownServer(honoApp(app, Hono).fetch as never),
};

/** Tests of what only `node:http` has: its messages, its sockets, and listeners around the framework's. */
const ofNode = [
  /own async context/,
  /keeps the headers that earlier middleware has set/,
  /even if middleware has replaced writeHead/,
  /when the handler ends (its|the) response by/,
  /turns out to be disconnected/,
  /whose upload had arrived before the request was queued/,
  /a client that has already disconnected/,
  /if other code responds to it/,
  /a signal that is first read after the disconnect/,
];

/** Topics about connections: these servers take the next request of one only after their response. */
const topicsOfNode = ['connections', 'uploads', 'rejected uploads'];

beforeEach(({ task, skip }) => {
  skip(
    topicsOfNode.includes(task.suite?.name ?? '') || ofNode.some((title) => title.test(task.name)),
  );
});

adapterSuite(framework);

it.each<[string, Handler]>([
  ['c.text()', (c) => c.text('hello')],
  ['new Response()', () => new Response('hello')],
])('keeps the default content type of %s', async (_, handler) => {
  const app = new Hono().use(honoLimit({ limit: 1 })).get('/', handler);
  const server = ownServer(app.fetch as never);
  server.listen(0, '127.0.0.1');
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/`);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain;\s?charset=utf-8$/i);
  expect(await response.text()).toBe('hello');
  server.close(() => {});
});
