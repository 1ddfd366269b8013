import { eventLoopGuard } from '@headgate/core/node';
import { concurrencyLimit } from '@headgate/express';
import { until, worldOfEachTest } from '@headgate/test-suite';
import { ok } from '@headgate/test-suite/kit';
import express from 'express';
import { describe, expect, it } from 'vitest';
import { expressFramework } from './framework.ts';

const sheddingGuard = { name: 'shedding', admits: () => false };

/** Blocks the event loop for this many milliseconds. */
function work(duration: number): void {
  const end = performance.now() + duration;
  while (performance.now() < end);
}

describe('Express with a guard', () => {
  const world = worldOfEachTest(expressFramework('Express 5', express));

  it('rejects an upload before its body is parsed', async () => {
    let parsed = 0;
    const verify = () => {
      parsed++;
    };
    const app = express();
    app.post('/open', express.json({ verify }), (_req, res) => {
      res.send('ok');
    });
    app.use(world.watch(concurrencyLimit({ guard: sheddingGuard })), express.json({ verify }));
    const server = await world.serveThrough(() => app, { handle: ok });
    const upload = {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ text: 'x'.repeat(50_000) }),
    };
    expect(await server.call('/guarded', upload).answer()).toMatchObject({ status: 503 });
    expect(parsed).toBe(0);
    expect(await server.call('/open', upload).answer()).toMatchObject({ status: 200 });
    expect(parsed).toBe(1);
  });

  /**
   * An app with CPU-bound handlers, and one connection that delivers all requests in one iteration of the event loop.
   */
  async function computing(classes: readonly string[]) {
    const limit = world.watch(
      concurrencyLimit({
        guard: eventLoopGuard({ maxDelay: 100 }),
        priority: (req) => (req.get('x-class') ?? 'normal') as 'normal',
      }),
    );
    const app = express();
    app.use(limit, (_req, res) => {
      work(60);
      res.send('ok');
    });
    const server = await world.serveThrough(() => app, { handle: ok });
    const raw = server.raw();
    await until(() => server.sockets.length === 1);
    const request = (name: string) =>
      `GET / HTTP/1.1\r\nHost: localhost\r\nX-Class: ${name}\r\n\r\n`;
    raw.socket.write(classes.map(request).join(''));
    await until(() => raw.statuses.length === classes.length);
    return { limit, raw, server };
  }

  it('rejects late requests of a long loop iteration, and admits the first one of the next', async () => {
    const { limit, raw, server } = await computing(new Array(8).fill('normal'));
    expect(raw.statuses[0]).toBe('200');
    expect(raw.statuses.slice(3)).toEqual(new Array(5).fill('503'));
    expect(raw.received).toContain('"reason":"overloaded"');
    const { overloaded } = limit.stats().rejected;
    expect(overloaded).toBe(raw.statuses.filter((status) => status === '503').length);
    expect(await server.call().answer()).toMatchObject({ status: 200 });
  });

  it('admits critical requests even late in the iteration', async () => {
    const classes = ['normal', 'normal', 'normal', 'normal', 'critical', 'low', 'critical'];
    const { raw } = await computing(classes);
    const [first, , , fourth, critical, low, late] = raw.statuses;
    expect([first, fourth, critical, low, late]).toEqual(['200', '503', '200', '503', '200']);
  });

  it('is asked before the limits of its gate', async () => {
    const guard = eventLoopGuard();
    const limit = world.watch(concurrencyLimit({ guard, limit: 2, queueLimit: 1 }));
    const app = express();
    app.use(limit, (_req, res) => {
      res.send('ok');
    });
    const server = await world.serveThrough(() => app, { handle: ok });
    expect(await server.call().answer()).toMatchObject({ status: 200 });
    expect(Object.keys(limit.limiters)).toEqual(['unnamed']);
  });
});
