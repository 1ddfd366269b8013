import { expect, it } from 'vitest';
import { exponentialBackoff, fibonacciBackoff } from '../src/backoff.ts';
import { type Answer, Client, type ClientOptions } from '../src/client.ts';
import { RetryBudget } from '../src/retry-budget.ts';
import { Simulation } from '../src/simulation.ts';

/** Answers the attempts as scripted, and records arrivals and disconnects. */
function setUp(options: ClientOptions, answers: readonly (Answer | undefined)[]) {
  const simulation = new Simulation();
  const attempts: number[] = [];
  const disconnects: number[] = [];
  const ended: [succeeded: boolean, at: number][] = [];
  const send = (answer: (answer: Answer) => void) => {
    const scripted = answers[attempts.length];
    attempts.push(simulation.now());
    if (scripted !== undefined) simulation.setTimeout(() => answer(scripted), 10);
    return () => void disconnects.push(simulation.now());
  };
  const client = new Client(simulation, send, options);
  const call = () => client.call((succeeded) => ended.push([succeeded, simulation.now()]));
  return { simulation, attempts, disconnects, ended, call };
}

const no: Answer = { succeeded: false };
const yes: Answer = { succeeded: true };

it('a simulated client disconnects on timeout, and retries', () => {
  const { simulation, attempts, disconnects, ended, call } = setUp({ timeout: 100, retries: 1 }, [
    undefined,
    yes,
  ]);
  call();
  simulation.runUntil(1000);
  expect({ attempts, disconnects, ended }).toEqual({
    attempts: [0, 100],
    disconnects: [100],
    ended: [[true, 110]],
  });
});

it('a simulated client ignores an answer after its timeout', () => {
  const { simulation, disconnects, ended, call } = setUp({ timeout: 5 }, [yes]);
  call();
  simulation.runUntil(1000);
  expect({ disconnects, ended }).toEqual({ disconnects: [5], ended: [[false, 5]] });
});

it('a simulated client retries the given number of times, with growing delays', () => {
  const options = { retries: 3, backoff: fibonacciBackoff(100, 150) };
  const { simulation, attempts, ended, call } = setUp(options, [no, no, no, no, no]);
  call();
  simulation.runUntil(10_000);
  expect(attempts).toEqual([0, 110, 270, 430]);
  expect(ended).toEqual([[false, 440]]);
});

it('a simulated client retries no sooner than Retry-After', () => {
  const { simulation, attempts, call } = setUp({ retries: 1 }, [{ ...no, retryAfter: 2 }, yes]);
  call();
  simulation.runUntil(10_000);
  expect(attempts).toEqual([0, 2010]);
});

it('a simulated client retries within its budget', () => {
  const answers = Array.from({ length: 100 }, () => no);
  const budget = new RetryBudget(0.5, 2);
  const { simulation, attempts, call } = setUp({ retries: 9, budget }, answers);
  for (let count = 0; count < 10; count++) {
    call();
    simulation.runUntil(simulation.now() + 1000);
  }
  // Two retries were in reserve; the first call's earnings exceed the reserve's maximum.
  expect(attempts).toHaveLength(10 + 2 + 4);
});

it('a simulated client backs off exponentially with full jitter', () => {
  const backoff = exponentialBackoff(100);
  expect([1, 2, 3].map((retry) => backoff(retry, () => 0.5))).toEqual([50, 100, 200]);
});
