import type { RequestListener } from 'node:http';
import type { FrameworkDriver } from '@headgate/test-suite';
import type { ConcurrencyLimit } from '@headgate/web';
import { getRequestListener } from '@hono/node-server';
import { webApp, webLimit } from './suite-app.ts';

/** The web standards of Node itself. */
const options = { overrideGlobalObjects: false };

/** Serves the suite's apps through the bridge of Hono from `node:http` to web-standard handlers. */
export const webFramework: FrameworkDriver<ConcurrencyLimit> = {
  name: 'web-standard handlers',
  can: { tracksHandlers: true, http2: false, knowsRoutes: false, seesConnections: false },
  limit: webLimit,
  listener: (app) => getRequestListener(webApp(app), options) as RequestListener,
};
