import { serve } from '@hono/node-server';
import { Hono } from 'hono';

/** What Hono itself costs: a route that knows its answer. */
const app = new Hono();
app.get('/health', (c) => c.text('Ok'));
serve({ fetch: app.fetch, port: Number(process.argv[2]), hostname: '127.0.0.1' });
