import { concurrencyLimit, createLimiter, defaultLimit } from '@headgate/express';
import { counts, worldOfEachTest } from '@headgate/test-suite';
import { collectWarnings } from '@headgate/test-suite/kit';
import express, { type Response } from 'express';
import { describe, expect, it } from 'vitest';
import { expressFramework } from './framework.ts';

describe('a default limit that is reused', () => {
  const world = worldOfEachTest(expressFramework('Express 5', express));

  it.each([
    ['alone', 0],
    ['with a fixed limit, which warns that it counts them', 1],
  ])('does not count requests that are queued at an inner limit, %s', async (_, warned) => {
    const warnings = collectWarnings('HEADGATE_NESTED_WAIT');
    const server = createLimiter({ name: 'server', limit: defaultLimit({ min: 4, max: 4 }) });
    const fixed = warned === 0 ? [] : [{ name: 'app', limit: 30 }];
    const outer = world.watch(concurrencyLimit({ limits: [...fixed, { limiter: server }] }));
    const inner = world.watch(concurrencyLimit({ name: 'reports', limit: 1, queueLimit: 20 }));
    const unanswered: Response[] = [];
    const app = express().use(outer);
    app.get('/reports', inner, (_req, res) => void unanswered.push(res));
    app.use((_req, res) => void res.send('ok'));
    const running = await world.serveThrough(() => app);
    const calls = Array.from({ length: 8 }, () => running.call('/reports').answer());
    await counts(inner, 1, 7);
    expect(server.inflight).toBe(1);
    expect((await running.call().answer()).status).toBe(200);
    for (let answered = 0; answered < 8; answered++) {
      await counts(inner, 1, 7 - answered);
      unanswered[answered]?.send('done');
    }
    await Promise.all(calls);
    expect(warnings.length).toBe(warned);
    await server.close();
  });
});
