import { expect, it } from 'vitest';
import { exponentialBackoff, fibonacciBackoff } from '../src/backoff.ts';
import { type Answer, Client, type Habits } from '../src/client.ts';
import { RetryBudget } from '../src/retry-budget.ts';
import { Simulation } from '../src/simulation.ts';

/** Answers the attempts as told, and notes when they came and when their sender went away. */
function scene(habits: Habits, answers: readonly (Answer | undefined)[]) {
  const simulation = new Simulation();
  const came: number[] = [];
  const left: number[] = [];
  const ended: [succeeded: boolean, at: number][] = [];
  const send = (answer: (answer: Answer) => void) => {
    const given = answers[came.length];
    came.push(simulation.now());
    if (given !== undefined) simulation.setTimeout(() => answer(given), 10);
    return () => void left.push(simulation.now());
  };
  const client = new Client(simulation, send, habits);
  const call = () => client.call((succeeded) => ended.push([succeeded, simulation.now()]));
  return { simulation, came, left, ended, call };
}

const no: Answer = { succeeded: false };
const yes: Answer = { succeeded: true };

it('goes away when its patience ends, and comes back', () => {
  const { simulation, came, left, ended, call } = scene({ timeout: 100, retries: 1 }, [
    undefined,
    yes,
  ]);
  call();
  simulation.run(1000);
  expect({ came, left, ended }).toEqual({ came: [0, 100], left: [100], ended: [[true, 110]] });
});

it('does not hear an answer for which it no longer waits', () => {
  const { simulation, left, ended, call } = scene({ timeout: 5 }, [yes]);
  call();
  simulation.run(1000);
  expect({ left, ended }).toEqual({ left: [5], ended: [[false, 5]] });
});

it('tries so often and no more, later each time', () => {
  const habits = { retries: 3, backoff: fibonacciBackoff(100, 150) };
  const { simulation, came, ended, call } = scene(habits, [no, no, no, no, no]);
  call();
  simulation.run(10_000);
  expect(came).toEqual([0, 110, 270, 430]);
  expect(ended).toEqual([[false, 440]]);
});

it('comes back when Retry-After says, not before', () => {
  const { simulation, came, call } = scene({ retries: 1 }, [{ ...no, retryAfter: 2 }, yes]);
  call();
  simulation.run(10_000);
  expect(came).toEqual([0, 2010]);
});

it('keeps to its budget of retries', () => {
  const answers = Array.from({ length: 100 }, () => no);
  const budget = new RetryBudget(0.5, 2);
  const { simulation, came, call } = scene({ retries: 9, budget }, answers);
  for (let count = 0; count < 10; count++) {
    call();
    simulation.run(simulation.now() + 1000);
  }
  // Two were saved up; what the first call earns does not fit in.
  expect(came).toHaveLength(10 + 2 + 4);
});

it('spreads its retries over slots that double', () => {
  const backoff = exponentialBackoff(100);
  expect([1, 2, 3].map((retry) => backoff(retry, () => 0.5))).toEqual([50, 100, 200]);
});
