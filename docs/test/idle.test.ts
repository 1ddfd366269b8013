import { createLimiter, type Limiter } from '@headgate/core';
import { Latch } from '@headgate/test-suite';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { read } from './pages.ts';

/** The function of the page, as users copy it. */
function idleOfPage(): (limiter: Limiter) => Promise<void> {
  const [code = ''] = /^function idle\(.*?^}/ms.exec(read('docs/migrating.md')) ?? [];
  return new Function(`${ts.transpile(code, { target: ts.ScriptTarget.ES2022 })}; return idle;`)();
}

it('the code in docs/migrating.md waits until a limiter is idle, and leaves it open', async () => {
  const idle = idleOfPage();
  const limiter = createLimiter({ limit: 1, queueLimit: 2 });
  await idle(limiter);
  const latches = [new Latch(), new Latch(), new Latch()];
  const order: string[] = [];
  const runs = latches.map((latch, index) =>
    limiter.run(() => latch.opened).finally(() => order.push(`run ${index}`)),
  );
  const waited = idle(limiter).then(() => order.push('idle'));
  for (const latch of latches) {
    latch.open();
    await new Promise(setImmediate);
  }
  await Promise.all([...runs, waited]);
  expect(order).toEqual(['run 0', 'run 1', 'run 2', 'idle']);
  expect(limiter.closed).toBe(false);
});

it('the code in docs/migrating.md waits until a queue whose last waiter leaves is idle', async () => {
  const limiter = createLimiter({ limit: 1, queueLimit: 1 });
  limiter.pause();
  const controller = new AbortController();
  const run = limiter.run(() => {}, { signal: controller.signal });
  const waited = idleOfPage()(limiter);
  controller.abort();
  await expect(run).rejects.toThrow();
  await waited;
  expect(limiter.queued).toBe(0);
});
