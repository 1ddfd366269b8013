import { expect, test, vi } from 'vitest';
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

test('the suite detects a store that does not execute releases', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const breaches = new Set<string>();
  const driver = {
    name: 'unreleasing',
    start: (options: Parameters<typeof startMemory>[0]) => startMemory(options, 'unreleasing'),
  };
  for (let seed = 0; seed < 60; seed++) {
    const list = Array.from({ length: 60 }, (_, at) => (seed * 7919 + at * (seed + 104_729)) % 997);
    const options = { limit: 1, callers: 6, faults: false };
    const scene = new InterleavingScene(driver, options, new ListedChoices(list));
    await scene.start();
    for (const _ of list) await scene.step();
    await scene.end();
    await scene.close();
    for (const breach of scene.breaches) breaches.add(breach);
  }
  vi.useRealTimers();
  expect([...breaches].join()).toContain('left behind');
});

/** A `stay` that the store executes after the release of its lease joins the queue again. */
const overtaken = [
  ...[0, 0, 615, 0, 770, 0, 230, 0, 392, 0, 194, 0, 0, 41, 0, 9, 0, 229, 0, 71, 0, 663, 299],
  ...[797, 0, 0, 0, 804, 789, 0, 0, 915, 0, 0, 0, 619, 0, 0, 0, 0, 0, 51, 0, 0, 0],
];

test('a lease whose release is overtaken by a check is released again', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const driver = {
    name: 'overtaking',
    start: (options: Parameters<typeof startMemory>[0]) => startMemory(options, 'unordered'),
  };
  const options = { limit: 1, callers: 6, faults: false };
  const scene = new InterleavingScene(driver, options, new ListedChoices(overtaken));
  await scene.start();
  for (const _ of overtaken) await scene.step();
  await scene.end();
  await scene.close();
  vi.useRealTimers();
  expect([...scene.breaches], scene.trace.join('\n')).toEqual([]);
});
