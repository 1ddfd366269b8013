// Web-standard handlers: a limit for reports, and an event stream that holds its permit while it is open. On Bun the last line
// is `Bun.serve({ port, fetch: handle })`, on Deno `Deno.serve({ port }, handle)`.
import { setTimeout as work } from 'node:timers/promises';
import { admissionOf, concurrencyLimit } from '@headgate/web';
import { serve } from '@hono/node-server';

const port = Number(process.env.PORT ?? 3000);
const reports = concurrencyLimit({ name: 'reports', limit: 2, queueLimit: 2, maxHold: 60_000 });
const events = concurrencyLimit({ name: 'events', limit: 100, queueLimit: 0 });

const report = reports.wrap(async (request: Request) => {
  await work(500); // placeholder for the real work
  const { waited } = admissionOf(request);
  return Response.json({ waited });
});

const encoder = new TextEncoder();

const stream = events.wrap(() => {
  const body = new ReadableStream({
    // Called until the client disconnects, which cancels the stream and releases the permit.
    async pull(controller) {
      await work(100);
      controller.enqueue(encoder.encode(`data: ${events.holders} open\n\n`));
    },
  });
  return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } });
});

function handle(request: Request): Response | Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname === '/reports') return report(request);
  if (pathname === '/events') return stream(request);
  return new Response('ok', { headers: { 'Content-Type': 'text/plain' } });
}

serve({ fetch: handle, port }, () => console.log(`http://localhost:${port}`));
