import { fifo, lifo, type Order } from '@headgate/core';
import { expect, it } from 'vitest';
import { arrive } from '../src/arrivals.ts';
import { CallbackWaiter } from '../src/callback-waiter.ts';
import { Simulation } from '../src/simulation.ts';

// Ten at once, 50 ms each: 200 a second. For ten seconds three times as many arrive, and clients give up after 300 ms.

const clientTimeout = 300;

/** The part of the capacity that is answered in time during the last five seconds. */
function answered(order: Order, queueLimit: number): number {
  const simulation = new Simulation(3);
  const limiter = simulation.limiter({ limit: 10, queueLimit, queueTimeout: 10_000, order });
  let inTime = 0;
  arrive(simulation, 600, () => {
    const came = simulation.now();
    new CallbackWaiter((permit) => {
      simulation.setTimeout(() => {
        permit.release();
        if (simulation.now() > 5000 && simulation.now() - came <= clientTimeout) inTime++;
      }, 50);
    }).requestFrom(limiter);
  });
  simulation.runUntil(10_000);
  return inTime / (5 * 200);
}

it('with a long fifo() queue only abandoned requests are served', () => {
  expect(answered(fifo(), 1000)).toBeLessThan(0.01);
});

it('lifo() serves requests whose clients still wait', () => {
  expect(answered(lifo(), 1000)).toBeGreaterThan(0.97);
});

it("a fifo() queue shorter than the clients' timeout serves requests in time", () => {
  expect(answered(fifo(), 40)).toBeGreaterThan(0.97);
});
