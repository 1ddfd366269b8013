import { join } from 'node:path';
import { createGate, createLimiter } from '@headgate/core';
import { metrics } from '@headgate/core/metrics';
import { dashboard } from '@headgate/dashboard/express';
import { durableObjectStore } from '@headgate/durable-object';
import { concurrencyLimit } from '@headgate/express';
import { postgresStore } from '@headgate/postgres';
import { redisStore } from '@headgate/redis';
import { createServer } from '@headgate/server';
import { lockClient, serverStore } from '@headgate/server-client';
import { memoryStore } from '@headgate/store-kit/memory-store';
import { expect, it } from 'vitest';
import { read, root } from './pages.ts';

const makers = {
  createLimiter,
  createGate,
  concurrencyLimit,
  dashboard,
  redisStore,
  postgresStore,
  serverStore,
  lockClient,
  durableObjectStore,
  createServer,
  memoryStore,
};

it.each(Object.entries(makers))(
  'docs/options.md has an entry for every option of %s',
  (name, make) => {
    const section = sectionOf(name);
    const headings = [...section.matchAll(/^### (\w+)$/gm)].map(([, option]) => option);
    // A link to an entry that another section has; that the heading exists is checked with the other links.
    const links = [...section.matchAll(/\[`(\w+)`\]\(#[\w-]+\)/g)].map(([, option]) => option);
    const entries = [...headings, ...links];
    expect(optionsOf(make).filter((option) => !entries.includes(option))).toEqual([]);
  },
);

it('docs/options.md has every field of the state of a limit in its store', async () => {
  const store = memoryStore();
  const fields = Object.keys(await store.stats({ name: 'any' }));
  await store.close();
  const items = [...sectionOf('Stores').matchAll(/^- `(\w+)`: /gm)].map(([, field]) => field);
  expect(fields.filter((field) => !items.includes(field))).toEqual([]);
});

function sectionOf(heading: string): string {
  const sections = read('docs/options.md').split(/^## /m);
  return sections.find((text) => text.startsWith(`${heading}\n`)) ?? '';
}

/** The error about an unknown option lists the known ones. */
function optionsOf(make: (options: never) => unknown): string[] {
  try {
    make({ bogus: 1 } as never);
  } catch (error) {
    const [, list = ''] = /it knows (.*)$/.exec((error as Error).message) ?? [];
    return list.split(', ');
  }
  throw new Error('it accepts unknown options');
}

it('docs/errors.md has every code and no other', () => {
  const codes = read('packages/core/src/errors.ts').match(/ERR_HEADGATE_\w+/g);
  const headings = [...read('docs/errors.md').matchAll(/^### (\w+)$/gm)].map(([, code]) => code);
  const ofErrors = headings.filter((heading) => heading?.startsWith('ERR_'));
  expect(ofErrors.sort()).toEqual([...new Set(codes)].sort());
});

it('docs/metrics.md has every metric and no other', () => {
  const rows = [
    ...read('docs/metrics.md').matchAll(/^- `(headgate_\w+)`, `(headgate\.[\w.]+)`:/gm),
  ];
  const names = Object.values(metrics).map(({ name }) => name);
  expect(rows.map(([, , name]) => name).sort()).toEqual(names.sort());
  for (const [, prometheus, name] of rows) {
    expect(prometheus?.startsWith(name?.replaceAll('.', '_') ?? ' '), name).toBe(true);
  }
});

it('docs/performance.md bounds the bundle of createLimiter as the check of the sizes does', async () => {
  const { default: sizes } = await import(join(root, '.size-limit.mjs'));
  const { limit } = sizes.find(({ name }: { name: string }) =>
    name.endsWith('createLimiter alone'),
  );
  const [, shown] =
    /`createLimiter` alone is at most (\d+) kB/.exec(read('docs/performance.md')) ?? [];
  expect(Number(shown)).toBe(Math.ceil(Number.parseFloat(limit)));
});
