import { join, resolve } from 'node:path';
import { ipKey, lifo } from '@headgate/core';
import { type ConcurrencyLimit, concurrencyLimit } from '@headgate/express';
import { mistakesIn } from '@headgate/test-kit/mistakes';
import express from 'express';
import { assert, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codeOf } from '../src/code.ts';
import { choices, ranges, type Settings } from '../src/settings.ts';
import { anySettings, settingsWith } from './settings.ts';

const here = resolve(import.meta.dirname, '..');

const limits = Object.keys(choices.limit.options) as Settings['limit'][];
const orders = Object.keys(choices.order.options) as Settings['order'][];

/** The code for each limit and order, by the name of a virtual file. The numbers are the smallest and the largest. */
const files = new Map(
  limits.flatMap((limit) =>
    orders.flatMap((order) =>
      (['min', 'max'] as const).map((end) => {
        const fixed = ranges.fixed[end];
        const queueLimit = ranges.queueLimit[end];
        const queueTimeout = ranges.queueTimeout[end];
        const code = codeOf(settingsWith({ limit, order, fixed, queueLimit, queueTimeout }));
        return [join(here, `${limit}-${order}-${end}.ts`), code] as const;
      }),
    ),
  ),
);

const misspelled = join(here, 'misspelled.ts');
const misspelling =
  "import { concurrencyLimit } from '@headgate/express';\nconcurrencyLimit({ limt: 1 });\n";

/** Once and before the tests, since compiling takes longer than the timeout of a test. */
const mistakes = mistakesIn(new Map([...files, [misspelled, misspelling]]));

/** Runs the code with the real middleware, and returns the middleware. */
function limitOf(code: string): ConcurrencyLimit | undefined {
  let limit: ConcurrencyLimit | undefined;
  const create: typeof concurrencyLimit = (options) => {
    limit = concurrencyLimit(options);
    return limit;
  };
  const statements = code.replace(/^import .*;\n/gm, '');
  new Function('express', 'concurrencyLimit', 'lifo', 'ipKey', statements)(
    ...[express, create, lifo, ipKey],
  );
  return limit;
}

describe('the code to copy', () => {
  it.each([...files.keys()].map((file) => [file.slice(here.length + 1), file]))(
    'compiles: %s',
    (_, file) => {
      expect(mistakes.filter((mistake) => mistake.file === file)).toEqual([]);
    },
  );

  it('is compiled so that a misspelled option would be found', () => {
    expect(mistakes.filter(({ file }) => file === misspelled)).toHaveLength(1);
  });

  it('creates the limit of the settings', () => {
    assert(
      property(anySettings, (settings) => {
        const limiters = limitOf(codeOf(settings))?.limiters;
        expect(Object.keys(limiters ?? {})).toEqual(
          { none: [], fixed: ['unnamed'], default: ['default'] }[settings.limit],
        );
        if (settings.limit === 'fixed') expect(limiters?.unnamed?.limit).toBe(settings.fixed);
      }),
    );
  });

  it('has the queue of the fixed limit', () => {
    const code = codeOf(
      settingsWith({ limit: 'fixed', fixed: 7, queueLimit: 30, queueTimeout: 400, order: 'lifo' }),
    );
    expect(code).toBe(
      `import { concurrencyLimit, lifo } from '@headgate/express';
import express from 'express';

const app = express();
app.use(concurrencyLimit({
  limit: 7,
  queueLimit: 30,
  queueTimeout: 400,
  order: lifo(),
}));
`,
    );
  });
});
