import { expect, it } from 'vitest';
import { createGate, createLimiter } from '../../packages/core/src/index.ts';
import { memoryStore } from '../../packages/core/src/memory-store/index.ts';
import { eventLoopGuard } from '../../packages/core/src/node/index.ts';
import { concurrencyLimit } from '../../packages/express/src/index.ts';
import { postgresStore } from '../../packages/postgres/src/index.ts';
import { redisStore } from '../../packages/redis/src/index.ts';
import { createServer } from '../../packages/server/src/index.ts';
import { throttleClient, throttleStore } from '../../packages/throttle/src/index.ts';
import { read } from './pages.ts';

const makers = {
  createLimiter,
  createGate,
  concurrencyLimit,
  eventLoopGuard,
  redisStore,
  postgresStore,
  throttleStore,
  throttleClient,
  createServer,
  memoryStore,
};

it.each(Object.entries(makers))('docs/options.md has every option of %s', (name, make) => {
  const page = read('docs/options.md');
  const section = page.split(/^## /m).find((text) => text.startsWith(name)) ?? '';
  const shown = [...section.matchAll(/`([\w[\].]+)`/g)].map(([, option]) => option);
  expect(optionsOf(make).filter((option) => !shown.includes(option))).toEqual([]);
});

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
