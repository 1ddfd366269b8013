import { concurrencyLimit } from '@headgate/express';
import { worldOfEachTest } from '@headgate/test-suite';
import { ok } from '@headgate/test-suite/kit';
import express from 'express';
import { describe, expect, it } from 'vitest';
import { expressFramework } from './framework.ts';

const sheddingGuard = { name: 'shedding', admits: () => false };

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
});
