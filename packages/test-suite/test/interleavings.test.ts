import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { interleavingSuite } from '../src/index.ts';
import { everySequence, ListedChoices } from '../src/store/interleavings/choices.ts';
import { InterleavingScene } from '../src/store/interleavings/scene.ts';
import { startMemory } from './remote-store.ts';

interleavingSuite({ name: 'the memory store', start: startMemory, runs: 50 });
interleavingSuite({
  name: 'a store whose requests overtake each other',
  start: (options) => startMemory(options, 'unordered'),
  runs: 50,
});

test('every sequence of choices runs once', async () => {
  const runs: string[] = [];
  const count = await everySequence(async (choices) => {
    const first = choices.pick(3);
    runs.push(first === 1 ? `${first}${choices.pick(2)}` : `${first}`);
  }, 100);
  expect(runs).toEqual(['0', '10', '11', '2']);
  expect(count).toBe(4);
});

/** The scene after a run with these choices, on a memory store of this kind. */
async function played(kind: 'unordered' | 'unreleasing', list: readonly number[]) {
  const driver = {
    name: kind,
    start: (options: Parameters<typeof startMemory>[0]) => startMemory(options, kind),
  };
  const options = { limit: 1, callers: 6, faults: false };
  const scene = new InterleavingScene(driver, options, new ListedChoices(list));
  await scene.start();
  for (const _ of list) await scene.step();
  await scene.end();
  await scene.close();
  return scene;
}

/** A `stay` that the store executes after the release of its lease joins the queue again. */
const overtaken = [
  ...[0, 0, 615, 0, 770, 0, 230, 0, 392, 0, 194, 0, 0, 41, 0, 9, 0, 229, 0, 71, 0, 663, 299],
  ...[797, 0, 0, 0, 804, 789, 0, 0, 915, 0, 0, 0, 619, 0, 0, 0, 0, 0, 51, 0, 0, 0],
];

describe('a run with given choices', () => {
  beforeEach(
    () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }),
  );
  afterEach(() => void vi.useRealTimers());

  test('the suite detects a store that does not execute releases', async () => {
    const breaches = new Set<string>();
    for (let seed = 0; seed < 60; seed++) {
      const list = Array.from(
        { length: 60 },
        (_, at) => (seed * 7919 + at * (seed + 104_729)) % 997,
      );
      const scene = await played('unreleasing', list);
      for (const breach of scene.breaches) breaches.add(breach);
    }
    expect([...breaches].join()).toContain('left behind');
  });

  test('a lease is released again if a check overtakes its release', async () => {
    const { breaches, trace } = await played('unordered', overtaken);
    expect([...breaches], trace.join('\n')).toEqual([]);
  });
});
