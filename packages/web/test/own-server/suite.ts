import { ownServer, serverName } from '@headgate/test-kit/own-server';
import { adapterSuite, type FrameworkDriver } from '@headgate/test-suite';
import type { ConcurrencyLimit } from '@headgate/web';
import { beforeEach } from 'vitest';
import { webApp, webLimit } from '../suite-app.ts';

/** Bun and Deno run this file: `npm run compat -- runtimes`. */
const framework: FrameworkDriver<ConcurrencyLimit> = {
  name: `web-standard handlers with ${serverName}`,
  can: { tracksHandlers: true, http2: false, knowsRoutes: false, seesConnections: false },
  limit: webLimit,
  listener: () => {
    throw new Error('This test needs a server of node:http.');
  },
  server: (app) => ownServer(webApp(app)),
};

/** Tests of what only `node:http` has: listeners around the framework's. */
const ofNode = [
  /own async context/,
  /keeps the headers that earlier middleware has set/,
  /even if middleware has replaced writeHead/,
  /if other code responds to it/,
];

beforeEach(({ task, skip }) => {
  skip(ofNode.some((title) => title.test(task.name)));
});

adapterSuite(framework);
