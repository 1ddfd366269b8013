import type { Answer } from '@headgate/store-kit';
import type { Hono } from 'hono';
import type { StateDriver } from '../state-driver.ts';
import { jsonText } from './answers.ts';
import { batchOf, intervalOf, limitNameOf, ownerOf } from './limit-input.ts';

/** Routes for `serverStore()`: operations on leases, the state of a limit, and a stream of messages. */
export function limitRoutes(app: Hono, { limits }: StateDriver): void {
  app.post('/limits', async (c) => {
    const answers = limits.execute(await batchOf(c));
    return jsonText(c, JSON.stringify(answers.map(lineOf)));
  });

  app.post('/limits/stats', async (c) =>
    jsonText(c, JSON.stringify(limits.stats(await limitNameOf(c)))),
  );

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

/** Tokens are sent as text, since a JSON number cannot hold all their digits. */
function lineOf(answer: Answer): object {
  if ('error' in answer) return { refused: answer.error.message };
  return { ...answer, fencing: answer.fencing?.toString() };
}
