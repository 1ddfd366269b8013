import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { Hono } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import type { StateDriver } from '../state-driver.ts';
import { packageFolder, version } from '../version.ts';
import { queryOf } from './input.ts';
import { snapshot } from './snapshot.ts';

const folder = new URL('ui/', packageFolder);

/** The files that all pages of Headgate share. They are copied into the package when it is packed. */
const packed = new URL('shared/', folder);
const shared = existsSync(packed) ? packed : new URL('../../../internal/page/', folder);

/** Media types by file extension. */
const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The browser must revalidate, because a newer server may have another page. */
const revalidated = { 'Cache-Control': 'no-cache' };

/** Forbids other origins, inline code and framing. Trusted types keep text from becoming markup. */
const secure = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'"],
    connectSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
    requireTrustedTypesFor: ["'script'"],
    trustedTypes: ["'none'"],
  },
  // Off, since one server cannot decide whether all ports of its host use HTTPS.
  strictTransportSecurity: false,
  xFrameOptions: 'DENY',
});

/** The page that shows the semaphores. It contains no state itself, so it is served without a token. */
export function uiPage(app: Hono, needsToken: boolean): void {
  app.use('/ui', secure);
  app.use('/ui/*', secure);
  const page = read(new URL('page.html', folder)).replace(
    'data-token="no"',
    `data-token="${needsToken ? 'yes' : 'no'}"`,
  );
  app.get('/ui', (c) => c.html(page, 200, revalidated));
  // The page's links are relative, because the app may be mounted in another one.
  app.get('/ui/', (c) => c.redirect('../ui', 301));
  for (const place of [shared, folder]) {
    for (const name of readdirSync(place)) {
      const type = types[extname(name)];
      if (type === undefined) continue;
      const text = read(new URL(name, place));
      app.get(`/ui/${name}`, (c) => c.body(text, 200, { 'Content-Type': type, ...revalidated }));
    }
  }
}

/** The state that the page polls. The first request of the page asks for the history as well. */
export function uiState(app: Hono, stateDriver: StateDriver): void {
  const { state, history } = stateDriver;
  app.get('/ui/state', (c) => {
    const shown = snapshot(stateDriver, queryOf(c, 'find') ?? '');
    const now = state.advance();
    const isFirst = queryOf(c, 'history') !== undefined;
    const past = isFirst
      ? Object.fromEntries(shown.semaphores.map(({ name }) => [name, history.of(name, now)]))
      : undefined;
    return c.json({ version, ...shown, history: past }, 200, { 'Cache-Control': 'no-store' });
  });
}

function read(file: URL): string {
  return readFileSync(file, 'utf8');
}
