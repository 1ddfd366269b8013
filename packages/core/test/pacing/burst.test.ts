import { describe, expect, it } from 'vitest';
import { fifo, type Limiter } from '../../src/index.ts';
import { type Caller, call } from '../caller.ts';
import { isGranted, scene } from './paced-scene.ts';

/** A limiter that has handled pairs of requests of 20 ms, one after the other, until two seconds ago. */
function warmScene() {
  const warm = scene(fifo(), { limit: 1 });
  for (let index = 0; index < 500; index++) handle(warm, arrive(warm.limiter, 2));
  warm.loop.rest(2000);
  return warm;
}

const arrive = (limiter: Limiter, count: number) =>
  Array.from({ length: count }, () => call(limiter));

/** Handles requests of 20 ms for as long as any has a permit, and returns how many. */
function handle({ loop }: ReturnType<typeof scene>, callers: readonly Caller[]): number {
  const waiting = new Set(callers);
  let count = 0;
  for (;;) {
    const next = [...waiting].find(isGranted);
    if (next === undefined) return count;
    waiting.delete(next);
    loop.busy(20);
    next.permit?.release();
    loop.poll();
    count++;
  }
}

describe('a burst', () => {
  it('is answered by an idle server as far as it can be within a second', () => {
    const idle = warmScene();
    const answered = handle(idle, arrive(idle.limiter, 100));
    expect(answered).toBeGreaterThanOrEqual(45);
    expect(answered).toBeLessThanOrEqual(50);
  });

  it('consists of the requests in the first 100 ms of a queue', () => {
    const { limiter, loop } = warmScene();
    const callers = arrive(limiter, 20);
    loop.rest(99);
    callers.push(...arrive(limiter, 5));
    expect(callers.some(({ rejection }) => rejection !== undefined)).toBe(false);
    loop.rest(1);
    loop.busy(150);
    expect(call(limiter).rejection).toBeUndefined();
    // By now, it is too long a queue to be one of requests that arrive at random.
    loop.busy(1);
    expect(call(limiter).rejection?.reason).toBe('full');
  });

  it('is not rejected at once because earlier requests took long', () => {
    const { limiter, loop } = scene(fifo(), { limit: 1 });
    for (let index = 0; index < 600; index++) {
      const callers = arrive(limiter, 2);
      for (const caller of callers) {
        loop.busy(100);
        caller.permit?.release();
        loop.poll();
      }
    }
    loop.rest(1500);
    const callers = arrive(limiter, 40);
    expect(callers.some(({ rejection }) => rejection !== undefined)).toBe(false);
  });

  it.each([
    ['none follows within a second of', 990, 13],
    ['another may follow a second after', 1010, 40],
  ])('%s a long queue', (_name, pause, count) => {
    const idle = warmScene();
    handle(idle, arrive(idle.limiter, 100));
    idle.loop.rest(pause);
    const answered = handle(idle, arrive(idle.limiter, 40));
    expect(answered).toBeGreaterThanOrEqual(count - 1);
    expect(answered).toBeLessThanOrEqual(count + 1);
  });

  it('may follow a short queue soon', () => {
    const idle = warmScene();
    handle(idle, arrive(idle.limiter, 10));
    expect(handle(idle, arrive(idle.limiter, 40))).toBe(40);
  });

  it('waits for less if requests wait in the loop for long before they are read', () => {
    const idle = warmScene();
    idle.measure(400, 1);
    const answered = handle(idle, arrive(idle.limiter, 100));
    expect(answered).toBeGreaterThanOrEqual(25);
    expect(answered).toBeLessThanOrEqual(33);
  });

  it('is not rejected when the first requests of a process finish, although one could not take twice as long in time', () => {
    const { limiter, loop } = scene(fifo(), { limit: 8 });
    const callers = arrive(limiter, 12);
    loop.rest(400);
    for (const { permit } of callers) permit?.release();
    for (let polls = 0; polls < 10; polls++) {
      loop.rest(5);
      loop.poll();
    }
    expect(callers.map(({ rejection }) => rejection?.reason)).toEqual(Array.from({ length: 12 }));
  });

  it('is not held back by the time that it took to read all of it', () => {
    const { limiter, loop } = scene(fifo(), { limit: 20 });
    const callers = Array.from({ length: 60 }, () => {
      loop.busy(1);
      return call(limiter);
    });
    loop.poll();
    const startedAt = new Map<Caller, number>();
    for (const end = loop.now() + 900; loop.now() < end; loop.poll()) {
      loop.rest(1);
      const now = loop.now();
      for (const caller of callers.filter(isGranted)) {
        if (!startedAt.has(caller)) startedAt.set(caller, now);
        else if (startedAt.get(caller) === now - 300) caller.permit?.release();
      }
    }
    expect(callers.filter(isGranted).length).toBeGreaterThanOrEqual(50);
  });
});
