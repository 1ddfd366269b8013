import {
  adaptive,
  byPriority,
  concurrencyLimit,
  createLimiter,
  fair,
  fifo,
  guard,
} from '@headgate/express';
import { memoryStore } from '@headgate/store-kit/memory-store';
import { expect, it } from 'vitest';
import { read } from './pages.ts';

type Options = Readonly<Record<string, unknown>>;

/** Options of each kind of limit, by the heading of its column. */
const kinds: Readonly<Record<string, () => Options>> = {
  'a number': () => ({ limit: 10 }),
  '`key`': () => ({ limit: 10, key: () => 'a' }),
  '`adaptive()`': () => ({ limit: adaptive() }),
  'no `limit`': () => ({}),
  '`store`': () => ({ name: 'distributed', limit: 10, store: memoryStore() }),
  '`limiter`': () => ({ limiter: createLimiter({ limit: 10, order: byPriority(fair()) }) }),
};

/** What is added to these options, by the heading of its row. */
const rows: Readonly<Record<string, Options>> = {
  '`key`': { key: () => 'a' },
  '`limit: (req) => …`': { limit: () => 10 },
  '`name`': { name: 'another name' },
  '`shares`': { shares: { parts: { paid: 0.5 }, by: () => 'paid' } },
  '`queueWeight`': { queueWeight: 100 },
  '`onStoreError`': { onStoreError: 'admit' },
  '`queueLimit`': { queueLimit: 10 },
  '`queueTimeout: 0`': { queueTimeout: 0 },
  '`order`': { order: fifo() },
  '`priority`': { priority: () => 'normal' },
  '`fairBy`': { fairBy: () => 'a' },
  "`mode: 'shadow'`": { mode: 'shadow' },
  '`classify`, `sampleAt`': { classify: () => 'ok', sampleAt: 'end' },
};

/** Options that every kind of limit has, and that the page therefore lists below the table. */
const everywhere: Options = {
  route: 'GET /reports',
  weight: 2,
  statusCode: 429,
  queueTimeout: 100,
  guard: guard({ name: 'memory', delay: () => 0, target: 1 }),
  skip: () => false,
  onReject: () => false,
  headers: true,
  maxHold: 1_000,
  onDisconnect: 'wait',
  clock: { now: () => 0, setTimeout: () => 0, clearTimeout: () => {} },
};

function isAllowed(options: Options): boolean {
  try {
    concurrencyLimit(options as never);
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: expect.stringMatching(/^ERR_HEADGATE_/) });
    return false;
  }
}

const [, section = ''] =
  /^## What combines with what\n(.*?)^## /ms.exec(read('docs/options.md')) ?? [];

it('docs/options.md has which options each kind of limit can have', () => {
  const table = [...section.matchAll(/^\| (.*) \|$/gm)].map(([, row = '']) => row.split(' | '));
  const [head, , ...documented] = table;
  expect(head?.slice(1)).toEqual(Object.keys(kinds));
  const actual = Object.entries(rows).map(([row, added]) => [
    row,
    ...Object.values(kinds).map((kind) => (isAllowed({ ...kind(), ...added }) ? 'yes' : '–')),
  ]);
  expect(documented).toEqual(actual);
});

it('docs/options.md lists the options that every kind of limit can have', () => {
  const [, list = ''] = /Every kind of limit can have (.*?)\./s.exec(section) ?? [];
  const documented = [...list.matchAll(/`(\w+)`/g)].map(([, option]) => option);
  expect(documented).toEqual(Object.keys(everywhere));
  for (const [kind, options] of Object.entries(kinds)) {
    // One at a time, since a guard without a limit has no queue.
    for (const [option, value] of Object.entries(everywhere))
      expect(isAllowed({ ...options(), [option]: value }), `${kind}, ${option}`).toBe(true);
  }
});
