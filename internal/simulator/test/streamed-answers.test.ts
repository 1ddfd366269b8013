import { adaptive, type Permit } from '@headgate/core';
import { expect, test } from 'vitest';
import { CallbackWaiter, unbounded } from '../src/callback-waiter.ts';
import { Dependency } from '../src/dependency.ts';
import { lognormal } from '../src/distributions.ts';
import { Simulation } from '../src/simulation.ts';
import { mean } from '../src/watch.ts';

/** Number of answers that the server decodes at full speed. More of them share its speed. */
const FULL_SPEED = 50;
/** Milliseconds of a token at full speed. */
const TOKEN_MS = 20;
const MAX = 200;
const DURATION_MS = 180_000;

/** A model server with 400 clients, each of which asks again once it is answered, for three minutes. */
function serve(sampleAt: 'first-byte' | 'end', seed: number) {
  const simulation = new Simulation(seed);
  const limiter = simulation.limiter({ ...unbounded, limit: adaptive({ max: MAX }) });
  const decoder = new Dependency(simulation, FULL_SPEED);
  const length = lognormal(70, 0.8);
  let [work, took] = [0, 0];
  const ask = () => new CallbackWaiter(answer).requestFrom(limiter);
  const answer = (permit: Permit) => {
    const decode = () => {
      if (sampleAt === 'first-byte') permit.mark();
      const start = simulation.now();
      const needed = TOKEN_MS * length(simulation.random);
      decoder.serve(needed, () => {
        work += needed;
        took += simulation.now() - start;
        permit.release();
        ask();
      });
    };
    simulation.setTimeout(decode, 100 + 20 * simulation.random());
  };
  for (let client = 0; client < 400; client++) ask();
  simulation.runUntil(DURATION_MS);
  const part = work / (FULL_SPEED * DURATION_MS);
  return { limit: limiter.stats().limit, part, slowdown: took / work };
}

const seeds = [1, 2, 3, 4, 5, 6, 7, 8];
test('adaptive() that measures whole answers notices when a model server decodes slowly', () => {
  const runs = seeds.map((seed) => serve('end', seed));
  expect(mean(runs.map(({ part }) => part))).toBeGreaterThan(0.85);
  expect(mean(runs.map(({ slowdown }) => slowdown))).toBeLessThan(2);
});

test('adaptive() that measures first bytes does not: its limit rises to its maximum', () => {
  const runs = seeds.map((seed) => serve('first-byte', seed));
  expect(mean(runs.map(({ slowdown }) => slowdown))).toBeGreaterThan(3);
  for (const { limit } of runs) expect(limit).toBe(MAX);
});
