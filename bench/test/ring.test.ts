import { expect, it } from 'vitest';
import { RingSemaphore } from '../src/ring.ts';

it('runs at most its limit at once, in FIFO order, also when its ring grows', async () => {
  const ring = new RingSemaphore(3);
  const started: number[] = [];
  let inflight = 0;
  let most = 0;
  const task = (index: number) => async () => {
    started.push(index);
    most = Math.max(most, ++inflight);
    await new Promise(setImmediate);
    inflight--;
  };
  await Promise.all(Array.from({ length: 100 }, (_, i) => ring.run(task(i))));
  expect(most).toBe(3);
  expect(started).toEqual(Array.from({ length: 100 }, (_, i) => i));
});
