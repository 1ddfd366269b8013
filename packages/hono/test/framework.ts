import type { RequestListener } from 'node:http';
import type { ConcurrencyLimit } from '@headgate/hono';
import type { FrameworkDriver } from '@headgate/test-suite';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import { honoApp, honoLimit } from './suite-app.ts';

/** Builds the suite's apps with a version of Hono on its Node server. */
export function honoFramework(
  name: string,
  Version: typeof Hono,
): FrameworkDriver<ConcurrencyLimit> {
  return {
    name,
    can: { tracksHandlers: true, http2: true },
    limit: honoLimit,
    listener: (app) => getRequestListener(honoApp(app, Version).fetch) as RequestListener,
  };
}
