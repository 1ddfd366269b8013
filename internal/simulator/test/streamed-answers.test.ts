import { adaptive, type Permit } from '@headgate/core';
import { expect, test } from 'vitest';
import { CallbackWaiter, unbounded } from '../src/callback-waiter.ts';
import { lognormal } from '../src/distributions.ts';
import { Simulation } from '../src/simulation.ts';

/** Number of answers that the server decodes at full speed. More of them share the same speed. */
const FULL_SPEED = 50;
/** Milliseconds of a token at full speed. */
const TOKEN_MS = 20;
const STEP_MS = 10;
const MAX = 200;

interface Answer {
  readonly permit: Permit;
  /** When its first token is there. */
  readonly decodesFrom: number;
  left: number;
}

/** A model server with 400 clients, each of which asks again once it is answered, for three minutes. */
function serve(sampleAt: 'first-byte' | 'end', seed: number) {
  const simulation = new Simulation(seed);
  const limiter = simulation.limiter({ ...unbounded, limit: adaptive({ max: MAX }) });
  const answers = new Set<Answer>();
  const length = lognormal(70, 0.8);
  const ask = () =>
    new CallbackWaiter((permit) => {
      const decodesFrom = simulation.now() + 100 + 20 * simulation.random();
      answers.add({ permit, decodesFrom, left: length(simulation.random) });
      if (sampleAt === 'first-byte')
        simulation.setTimeout(() => permit.mark(), decodesFrom - simulation.now());
    }).requestFrom(limiter);
  let [tokens, answering] = [0, 0];
  const decode = () => {
    const decoded = [...answers].filter(({ decodesFrom }) => decodesFrom <= simulation.now());
    const share = Math.min(1, FULL_SPEED / decoded.length) * (STEP_MS / TOKEN_MS);
    tokens += share * decoded.length;
    answering += decoded.length;
    for (const answer of decoded) {
      answer.left -= share;
      if (answer.left > 0) continue;
      answers.delete(answer);
      answer.permit.release();
      ask();
    }
    simulation.setTimeout(decode, STEP_MS);
  };
  for (let client = 0; client < 400; client++) ask();
  decode();
  simulation.runUntil(180_000);
  const most = (FULL_SPEED * 180_000) / TOKEN_MS;
  const msPerToken = (answering * STEP_MS) / tokens;
  return { limit: limiter.stats().limit, part: tokens / most, slowdown: msPerToken / TOKEN_MS };
}

const seeds = [1, 2, 3, 4, 5, 6, 7, 8];
const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

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
