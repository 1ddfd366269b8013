import { setImmediate as turn } from 'node:timers/promises';
import { createLimiter } from '@headgate/core';
import { Memory, memoryStore } from '@headgate/store-kit/memory-store';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import { read } from './pages.ts';

const limit = 2;

/**
 * The bounds in docs/lab/reference-notes.md: milliseconds that a permit stays with a process, and milliseconds that a waiter
 * behind `ahead` others waits.
 */
const atHome = (handoff: number, work: number) => Math.min((handoff + 1) * work, 100 + work);
const bound = (handoff: number, work: number, ahead: number) =>
  Math.ceil((ahead + 1) / limit) * atHome(handoff, work);

/** Two processes: one that is always busy, and one that acquires a permit now and then. */
async function longestWaits(handoff: number, work: number) {
  const clock = new VirtualClock();
  const memory = new Memory({ clock });
  const process = () => {
    const store = memoryStore({ memory, clock, handoff });
    const terms = {
      name: 'handoff',
      limit,
      queueLimit: 100,
      queueTimeout: Infinity,
      store,
      clock,
    };
    return { store, limiter: createLimiter(terms) };
  };
  const [busy, quiet] = [process(), process()];
  const pause = (ms: number) => new Promise<void>((done) => void clock.setTimeout(done, ms));
  const waits: { waited: number; ahead: number }[] = [];
  let isOver = false;
  const loop = async () => {
    while (!isOver) await busy.limiter.run(() => pause(work));
  };
  const visit = async () => {
    for (let visits = 0; visits < 20; visits++) {
      await pause(37);
      const { queued: ahead } = await quiet.store.stats({ name: 'handoff' });
      await quiet.limiter.run(({ waited }) => {
        waits.push({ waited, ahead });
        return pause(work);
      });
    }
    isOver = true;
  };
  const all = Promise.all([...Array.from({ length: 20 }, loop), visit()]);
  while (!isOver || busy.limiter.inflight > 0) {
    await turn();
    clock.advance(1);
  }
  await all;
  return waits;
}

it.each([
  [0, 20],
  [1, 20],
  [3, 20],
  [10, 5],
  [10, 30],
  [100, 1],
])(
  'with handoff %i and %i ms of work, no waiter waits longer than docs/lab/reference-notes.md says',
  async (handoff, work) => {
    const waits = await longestWaits(handoff, work);
    for (const { waited, ahead } of waits) {
      expect(waited).toBeLessThanOrEqual(bound(handoff, work, ahead));
    }
    // The bound is not far above the longest wait.
    const closest = Math.max(
      ...waits.map(({ waited, ahead }) => waited / bound(handoff, work, ahead)),
    );
    expect(closest).toBeGreaterThan(0.5);
  },
);

it('docs/distributed.md has the computed bounds for 50 ms of work', () => {
  const rows = [
    ...read('docs/distributed.md').matchAll(
      /^\| (\d+)(?: and more)? \| (\d+) ms \| (\d+) ms \|$/gm,
    ),
  ];
  expect(rows.length).toBeGreaterThan(2);
  for (const [, handoff, stays, first] of rows) {
    expect(Number(stays)).toBe(atHome(Number(handoff), 50));
    // With two processes: the other process's waiters are ahead in the store's queue.
    expect(Number(first)).toBe(bound(Number(handoff), 50, limit));
  }
  expect(atHome(100, 50)).toBe(atHome(2, 50));
});
