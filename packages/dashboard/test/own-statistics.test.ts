import { createGate, createLimiter, type Handle } from '@headgate/core';
import { VirtualClock } from '@headgate/test-suite';
import { collectWarnings } from '@headgate/test-suite/kit';
import { expect, it } from 'vitest';
import type { Snapshot } from '../src/messages.ts';
import { rowsOfAll } from '../src/rows.ts';
import { Sampler } from '../src/sampler.ts';

function samplerOf(limits: readonly Handle[]): Sampler {
  return new Sampler(() => limits, new VirtualClock());
}

it('the dashboard shows all other limits if the statistics of one are not numbers', () => {
  const warnings = collectWarnings('HEADGATE_STATS');
  const own = createLimiter({ name: 'own', limit: 5 });
  const stats = own.stats();
  const a = createLimiter({ name: 'a', limit: 1 });
  for (const wrong of [{ ...stats, inflight: 1n }, { ...stats, rejected: undefined }, {}]) {
    own.stats = () => wrong as never;
    const { limits } = samplerOf([own, a]).current;
    expect(limits.map(({ name }) => name)).toEqual(['a']);
    own.stats = () => stats;
    expect(rowsOfAll([own])).toHaveLength(1);
  }
  expect(warnings.length).toBeGreaterThan(0);
});

it.each([[{}], [5], [['1']], [[Number.NaN]]])(
  'the dashboard shows a limit without those statistics that should be a list of numbers and are not: %j',
  (inflightHistogram) => {
    const own = createLimiter({ name: 'own', limit: 5 });
    const stats = own.stats();
    own.stats = () => ({ ...stats, inflightHistogram }) as never;
    const [row] = rowsOfAll([own]);
    expect(row?.view()).toMatchObject({ name: 'own', inflightHistogram: undefined });
  },
);

it('a sample contains only those statistics of a guard that the page shows', () => {
  const stats = () => ({ delay: 1n, shedding: 0.5, token: 'secret' }) as never;
  const guard = { name: 'own', admits: () => true, stats };
  const limits = ['a', undefined].map((name) => (name === undefined ? [] : [{ name, limit: 1 }]));
  const sampler = samplerOf(limits.map((each) => createGate({ limits: each, guard })));
  const shown = JSON.parse(JSON.stringify(sampler.current)) as Snapshot;
  const views = shown.limits.map((view) => view.guard);
  expect(views).toEqual(Array(2).fill({ name: 'own', shedding: 0.5 }));
});

it.each([Number.NaN, Number.POSITIVE_INFINITY])(
  'the dashboard omits the figures of a guard that are %d, and a limit with such a count',
  (value) => {
    collectWarnings('HEADGATE_STATS');
    const guard = {
      name: 'own',
      admits: () => true,
      stats: () => ({ delay: value, shedding: value }),
    };
    const gate = createGate({ limits: [{ name: 'a', limit: 1 }], guard });
    const own = createLimiter({ name: 'own', limit: 1 });
    const stats = own.stats();
    own.stats = () => ({ ...stats, inflight: value });
    const sampler = samplerOf([gate, own]);
    const shown = JSON.parse(JSON.stringify(sampler.current)) as Snapshot;
    expect(shown.limits.map((view) => [view.name, view.guard])).toEqual([['a', { name: 'own' }]]);
  },
);
