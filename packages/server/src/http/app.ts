import { Hono } from 'hono';
import { bearerAuth } from 'hono/bearer-auth';
import { HTTPException } from 'hono/http-exception';
import type { StateDriver } from '../state-driver.ts';
import { largeAnswers } from './large-answers.ts';
import { limitRoutes } from './limits.ts';
import { lockRoutes } from './locks.ts';
import { Metrics } from './metrics.ts';
import { notFound } from './not-found.ts';
import { pages } from './pages.ts';
import { peerRoutes } from './peers.ts';
import { uiPage, uiState } from './ui.ts';

/** The HTTP protocol. All decisions are made by the state. */
export function createApp(stateDriver: StateDriver, token: string | undefined): Hono {
  const app = new Hono();
  uiPage(app, token !== undefined);
  if (token !== undefined) requireToken(app, token);
  const isLarge = largeAnswers();
  for (const path of ['/peers/', '/metrics', '/ui/state']) app.get(path, isLarge);
  uiState(app, stateDriver);
  pages(app);
  peerRoutes(app, stateDriver);
  lockRoutes(app, stateDriver);
  limitRoutes(app, stateDriver);
  const metrics = new Metrics(stateDriver);
  metrics.route(app);
  notFound(app, () => metrics.countUnknownPath());
  app.onError((error, c) => {
    if (error instanceof HTTPException) return error.getResponse();
    // If the client has disconnected while it sent its body, no client awaits an answer, and there is nothing to log.
    if (!c.req.raw.signal.aborted) stateDriver.log.error(`${c.req.method} failed: ${error.stack}`);
    return c.text('Internal Server Error', 500);
  });
  return app;
}

/** Requires the token for the routes that are registered later. Health checks need no token. */
function requireToken(app: Hono, token: string): void {
  const check = bearerAuth({ token });
  app.use((c, next) => (c.req.path === '/health' ? next() : check(c, next)));
}
