import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fifo } from '@headgate/core';
import { describe, expect, it } from 'vitest';
import type { Arrival } from '../src/queue/arrivals.ts';
import { isReached } from '../src/queue/goal.ts';
import { servedByPlainQueue } from '../src/queue/plain-queue.ts';
import { rows } from '../src/queue/rows.ts';
import type { Trial } from '../src/queue/trial.ts';

// The goals themselves are checked by `npm run simulate -- queue`, with all requests.

/** At 1.2 times the capacity, a queue fills slowly, and only then are requests rejected. */
const partOf = (id: string) => (id === 'client-timeouts' ? 0.25 : 0.05);

type Override = NonNullable<Trial['override']>;

const withoutQueue: Override = () => ({ queueLimit: 0 });
const withoutTimeout: Override = () => ({ queueTimeout: Infinity });
const ofOne: Override = () => ({ limit: 1 });
const admitsAll: Override = () => ({ limit: 1e9 });
const inOrderOfArrival: Override = () => ({ order: fifo() });
/** Clients that leave cost the others nearly all of the limit. */
const exploitable: Override = (arrivals) =>
  arrivals.some(({ clientTimeout = Infinity }) => clientTimeout < Infinity) ? { limit: 1 } : {};

/** For each row: limits with which it misses all its goals, each of them at least once. */
const bad: Readonly<Record<string, readonly Override[]>> = {
  'below-capacity': [withoutQueue],
  overload: [withoutQueue, withoutTimeout],
  'client-timeouts': [ofOne, admitsAll],
  share: [withoutQueue],
  fair: [inOrderOfArrival],
  priority: [inOrderOfArrival],
  'at-once': [withoutQueue],
  bursts: [withoutQueue],
  'retry-after': [ofOne, admitsAll],
  'early-leavers': [exploitable],
  outage: [withoutQueue],
  keys: [withoutQueue, withoutTimeout, ofOne],
  orders: [],
};

const page = readFileSync(resolve(import.meta.dirname, '../../../docs/lab/queue.md'), 'utf8');

describe.each(rows.map((row) => [row.name, row] as const))('%s', (_, row) => {
  const part = partOf(row.id);

  it('measures a figure for each goal', async () => {
    const { goals, table } = await row.measure({ part });
    expect(goals.length + (table?.rows.length ?? 0)).toBeGreaterThan(0);
    const figures = goals.map(({ what, worst: { value } }) => ({ what, value }));
    expect(figures.filter(({ value }) => !Number.isFinite(value))).toEqual([]);
  });

  it('misses each goal with a bad limit', async () => {
    const missed = new Set<string>();
    const all = new Set<string>();
    for (const override of bad[row.id] ?? []) {
      for (const goal of (await row.measure({ part, override })).goals) {
        all.add(goal.what);
        if (!isReached(goal)) missed.add(goal.what);
      }
    }
    expect([...all].filter((what) => !missed.has(what))).toEqual([]);
  });

  it('has a section on the page', () => {
    expect(page).toContain(`\n## ${row.name}\n\n${row.description}\n\n|`);
  });
});

it('each row has a bad limit', () => {
  expect(Object.keys(bad)).toEqual(rows.map(({ id }) => id));
});

it('the plain queue serves in the order of the classes and of arrival, and no waiter past the timeout', () => {
  const arrival = (at: number, duration: number, share: string): Arrival => ({
    at,
    duration,
    share,
  });
  const first = arrival(0, 10, 'a');
  const b = arrival(1, 10, 'b');
  const a = arrival(2, 10, 'a');
  const late = arrival(3, 10, 'b');
  const served = servedByPlainQueue([first, b, a, late], {
    limit: 1,
    timeout: 20,
    classOf: ({ share }) => (share === 'a' ? 0 : 1),
  });
  expect([...served]).toEqual([first, a, b]);
});
