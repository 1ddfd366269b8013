import { codel, fifo, lifo, type Order } from '@headgate/core';
import { expect, it } from 'vitest';
import { arrive } from '../src/arrivals.ts';
import { Asking } from '../src/asking.ts';
import { Simulation } from '../src/simulation.ts';

// Ten at once, 50 ms each: 200 a second. For ten seconds three times as many come, and each gives up after 300 ms.

const patience = 300;

/** What part of the capacity is answered in time, in the last five seconds of the overload. */
function answered(order: Order, queueLimit: number): number {
  const simulation = new Simulation(3);
  const limiter = simulation.limiter({ limit: 10, queueLimit, queueTimeout: 10_000, order });
  let inTime = 0;
  arrive(simulation, 600, () => {
    const came = simulation.now();
    new Asking((permit) => {
      simulation.setTimeout(() => {
        permit.release();
        if (simulation.now() > 5000 && simulation.now() - came <= patience) inTime++;
      }, 50);
    }).at(limiter);
  });
  simulation.run(10_000);
  return inTime / (5 * 200);
}

it('a long line that is first come, first served works for those who have gone', () => {
  expect(answered(fifo(), 1000)).toBeLessThan(0.01);
});

it.each([
  ['lifo()', lifo()],
  ['codel()', codel()],
])('%s serves those who are still there', (_, order) => {
  expect(answered(order, 1000)).toBeGreaterThan(0.97);
});

it('so does a line that is no longer than patience is', () => {
  expect(answered(fifo(), 40)).toBeGreaterThan(0.97);
});
