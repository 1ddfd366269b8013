import type { ConcurrencyLimit } from '@headgate/hono';
import { adapterSuite, type FrameworkDriver } from '@headgate/test-suite';
import { Hono } from 'hono';
import { beforeEach } from 'vitest';
import { honoApp, honoLimit } from '../suite-app.ts';
import { ownServer, serverName } from './own-server.ts';

/** Bun and Deno run this file: `npm run test:runtimes`. It must not import Hono's Node server, which replaces Response. */
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
  /found to be disconnected at the grant/,
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
