import { expect, it } from 'vitest';
import { holds } from '../src/scenario.ts';
import { scenarios } from '../src/scenarios/index.ts';

it.each(scenarios.map((scenario) => [scenario.name, scenario] as const))('%s', (_, { run }) => {
  const figures = run();
  expect(figures.length).toBeGreaterThan(0);
  expect(figures.filter((figure) => !holds(figure))).toEqual([]);
});
