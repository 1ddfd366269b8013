import type { Hono } from 'hono';
import { version } from '../version.ts';
import { favicon } from './favicon.ts';

/** Routes for people, browsers and load balancers. */
export function pages(app: Hono): void {
  app.get('/', (c) => c.text('Hello from Throttle!'));
  app.get('/health', (c) => c.text('Ok'));
  app.get('/version', (c) => c.text(version));
  app.get('/favicon.ico', (c) => c.body(favicon, 200, { 'Content-Type': 'image/x-icon' }));
}
