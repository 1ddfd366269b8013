import { expect, it } from 'vitest';
import { LatestOnly } from '../src/slices.ts';

/** A computation of three steps. */
function* steps(result: string): Generator<void, string> {
  for (let step = 0; step < 3; step++) yield;
  return result;
}

it('runs the first computation and, of the others, only the latest', async () => {
  const computations = new LatestOnly();
  const results: (readonly [result: string, isLatest: boolean])[] = [];
  await new Promise<void>((resolve) => {
    for (const name of ['first', 'second', 'third']) {
      computations.run(
        () => steps(name),
        (result, isLatest) => {
          results.push([result, isLatest]);
          if (isLatest) resolve();
        },
      );
    }
  });
  expect(results).toEqual([
    ['first', false],
    ['third', true],
  ]);
});

it('lets other tasks run between the slices of an endless computation, which stop() ends', async () => {
  const computations = new LatestOnly();
  let count = 0;
  function* endless(): Generator<void, never> {
    for (;;) {
      count++;
      yield;
    }
  }
  const nextTask = () => new Promise((resolve) => setTimeout(resolve, 1));
  computations.run(endless, () => {});
  while (count === 0) await nextTask();
  computations.stop();
  const stopped = count;
  await nextTask();
  await nextTask();
  expect(count).toBe(stopped);
});
