import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { Hono } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import type { State } from '../state/state.ts';
import { version } from '../version.ts';
import { queryOf } from './input.ts';
import { snapshot } from './snapshot.ts';

const folder = new URL('../../ui/', import.meta.url);

/** By the end of its name, what a file is. */
const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** A newer server may have another page. */
const unkept = { 'Cache-Control': 'no-cache' };

/** Nothing from elsewhere, nothing inline, in nobody's frame; and no text ever becomes markup. */
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
  // Whether a host has HTTPS in all its ports is not for one of its servers to say.
  strictTransportSecurity: false,
  xFrameOptions: 'DENY',
});

/** The page that shows the semaphores. It knows nothing itself, so nobody needs a token for it. */
export function uiPage(app: Hono, needsToken: boolean): void {
  app.use('/ui', secure);
  app.use('/ui/*', secure);
  const page = read('page.html').replace(
    'data-token="no"',
    `data-token="${needsToken ? 'yes' : 'no'}"`,
  );
  app.get('/ui', (c) => c.html(page, 200, unkept));
  // Its links are relative: the app may be a part of another one.
  app.get('/ui/', (c) => c.redirect('../ui', 301));
  for (const name of readdirSync(folder)) {
    const type = types[extname(name)];
    if (type === undefined) continue;
    const text = read(name);
    app.get(`/ui/${name}`, (c) => c.body(text, 200, { 'Content-Type': type, ...unkept }));
  }
}

/** What the page asks for, again and again. */
export function uiState(app: Hono, state: State): void {
  app.get('/ui/state', (c) => {
    const shown = snapshot(state, queryOf(c, 'find') ?? '');
    return c.json({ version, ...shown }, 200, { 'Cache-Control': 'no-store' });
  });
}

function read(name: string): string {
  return readFileSync(new URL(name, folder), 'utf8');
}
