// Fastify: one limit for the app, another one for a route, and none for the health check.
import { setTimeout as work } from 'node:timers/promises';
import { concurrencyLimit } from '@headgate/fastify';
import Fastify from 'fastify';

const app = Fastify();
const port = Number(process.env.PORT ?? 3000);
const limit = concurrencyLimit({ limit: 2, queueLimit: 2, queueTimeout: 2_000, maxHold: 30_000 });
const reports = concurrencyLimit({ name: 'reports', limit: 1, queueLimit: 0 });

// Before the routes: otherwise it does not learn when their handlers settle.
await app.register(limit);

app.get('/health', { config: { concurrencyLimit: false } }, async () => 'ok');

app.get('/', async (request) => {
  await work(500); // placeholder for the real work
  return `Waited ${request.admission.waited} ms\n`;
});

app.post('/reports', { config: { concurrencyLimit: reports } }, async () => {
  await work(500); // placeholder for the real work
  return 'A report\n';
});

await app.listen({ port });
console.log(`http://localhost:${port}`);
