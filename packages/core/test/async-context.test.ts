import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, it } from 'vitest';
import { createGate, createLimiter } from '../src/index.ts';

const tenant = new AsyncLocalStorage<string>();
const queue = { queueLimit: 9 };

it.each([
  ['limiter', () => createLimiter({ limit: 1, ...queue })],
  ['gate', () => createGate({ limits: [{ name: 'app', limit: 1 }], ...queue })],
])('a queued function continues in its own async context: %s', async (_, create) => {
  const entrance = create();
  const ran: string[] = [];
  const work = async (name: string) => {
    ran.push(`${name} as ${tenant.getStore()}`);
    await null;
    ran.push(`${name} as ${tenant.getStore()}`);
  };
  const held = await entrance.acquire();
  const runs = ['A', 'B', 'C'].map((name) =>
    tenant.run(name, () => entrance.run(() => work(name))),
  );
  tenant.run('releaser', () => held.release());
  await Promise.all(runs);
  expect(ran).toEqual(['A as A', 'A as A', 'B as B', 'B as B', 'C as C', 'C as C']);
});

it('code after an acquire, a rejection or an abort runs in the async context of its caller', async () => {
  const limiter = createLimiter({ limit: 1, ...queue });
  const held = limiter.tryAcquire();
  const controller = new AbortController();
  const seen = (name: string, promise: () => Promise<unknown>) =>
    tenant.run(name, async () => {
      await promise().catch(() => {});
      return tenant.getStore();
    });
  const waits = [
    seen('granted', () => limiter.acquire()),
    seen('aborted', () => limiter.acquire({ signal: controller.signal })),
    seen('closed', () => limiter.acquire()),
  ];
  tenant.run('other', () => {
    controller.abort();
    held?.release();
    void limiter.close();
  });
  expect(await Promise.all(waits)).toEqual(['granted', 'aborted', 'closed']);
});
