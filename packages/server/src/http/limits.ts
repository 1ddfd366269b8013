import { encode } from '@headgate/store-kit';
import type { Hono } from 'hono';
import type { StateDriver } from '../state-driver.ts';
import { jsonText } from './answers.ts';
import { batchOf, intervalOf, limitNameOf, ownerOf } from './limit-input.ts';

/** Routes for `serverStore()`: operations on leases, the state of a limit, and a stream of messages. */
export function limitRoutes(app: Hono, { limits }: StateDriver): void {
  app.post('/limits', async (c) => {
    const answers = limits.execute(await batchOf(c));
    const lines = answers.map((answer) =>
      'error' in answer ? { refused: answer.error.message } : answer,
    );
    return jsonText(c, encode(lines));
  });

  app.post('/limits/stats', async (c) => jsonText(c, encode(limits.stats(await limitNameOf(c)))));

  app.get('/limits/messages', (c) => {
    const [owner, interval] = [ownerOf(c), intervalOf(c)];
    // A stream that is never read would stay open.
    if (c.req.method === 'HEAD') return c.body(null);
    return c.body(limits.open(owner, interval), 200, {
      'Content-Type': 'application/x-ndjson',
      'Cache-Control': 'no-store',
      // Otherwise nginx would buffer the messages.
      'X-Accel-Buffering': 'no',
    });
  });
}
