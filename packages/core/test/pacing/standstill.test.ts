import { describe, expect, it } from 'vitest';
import { fifo } from '../../src/index.ts';
import type { BasePermit } from '../../src/semaphore/permit.ts';
import { call } from '../caller.ts';
import { scene } from './paced-scene.ts';

type Queue = ReturnType<typeof queueing>;

/** A limiter with a limit of 1 that has handled requests of 20 ms. Now one is in flight, and others are queued. */
function queueing() {
  const { loop, limiter, measure } = scene(fifo(), { limit: 1 });
  measure(0, 100, 20);
  const inflight = call(limiter);
  const queued = Array.from({ length: 5 }, () => call(limiter));
  return { loop, limiter, inflight, queued };
}

/** The loop is idle, and polls every few milliseconds. */
function rest({ loop }: Queue, milliseconds: number): void {
  for (let passed = 0; passed < milliseconds; passed += 5) {
    loop.rest(5);
    loop.poll();
  }
}

/** The loop is busy. */
function work({ loop }: Queue, milliseconds: number): void {
  for (let passed = 0; passed < milliseconds; passed += 5) {
    loop.advance(5);
    loop.poll();
  }
}

/** Queues a request, as the only one: those before it leave. */
function arrive({ limiter, queued }: Queue) {
  const caller = call(limiter);
  for (const earlier of queued) limiter.withdraw(earlier);
  return caller;
}

/** How long a request that arrives now is queued before it is rejected. */
function maxWait(queue: Queue, pass: typeof rest): number {
  const caller = arrive(queue);
  for (let waited = 0; ; waited += 5) {
    if (caller.rejection !== undefined) return waited;
    pass(queue, 5);
  }
}

describe('the maximum wait of a request', () => {
  it('is what is left of a second if none finishes although the loop is idle', () => {
    const queue = queueing();
    rest(queue, 150);
    const waited = maxWait(queue, rest);
    expect(waited).toBeGreaterThan(950);
    expect(waited).toBeLessThan(1000);
  });

  it('is 250 ms if none finishes because the loop is busy', () => {
    const queue = queueing();
    work(queue, 150);
    expect(maxWait(queue, work)).toBe(255);
  });

  it.each([
    ['is as long for the time that it then takes to serve the others', 790, 950, 1000],
    ['is 250 ms later', 805, 250, 260],
  ])('%s', (_name, arrival, least, most) => {
    const queue = queueing();
    rest(queue, 400);
    queue.inflight.permit?.release();
    work(queue, arrival - 400);
    const waited = maxWait(queue, work);
    expect(waited).toBeGreaterThanOrEqual(least);
    expect(waited).toBeLessThanOrEqual(most);
  });

  it.each([
    ['finishes', (permit: BasePermit) => permit.release()],
    ['only waits for its client', (permit: BasePermit) => permit.pauseCounting()],
  ])('is 250 ms if one %s every 150 ms', (_name, leave) => {
    const queue = queueing();
    const { queued, inflight } = queue;
    rest(queue, 105);
    const late = call(queue.limiter);
    for (const caller of [inflight, ...queued.slice(0, 2)]) {
      leave(caller.permit as BasePermit);
      rest(queue, 150);
    }
    for (const caller of queued) queue.limiter.withdraw(caller);
    expect(late.rejection?.reason).toBe('overloaded');
  });
});
