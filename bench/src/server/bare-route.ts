import { serve } from '@hono/node-server';
import { Hono } from 'hono';

/** The cost of Hono itself: a route with a constant answer. */
const app = new Hono();
app.get('/health', (c) => c.text('Ok'));
serve({ fetch: app.fetch, port: Number(process.argv[2]), hostname: '127.0.0.1' });
