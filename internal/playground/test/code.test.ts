import { join, resolve } from 'node:path';
import { ipKey, lifo } from '@headgate/core';
import { type ConcurrencyLimit, concurrencyLimit } from '@headgate/express';
import express from 'express';
import { assert, property } from 'fast-check';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { codeOf } from '../src/code.ts';
import { choices, ranges, type Settings } from '../src/settings.ts';
import { anySettings, settingsWith } from './settings.ts';

const here = resolve(import.meta.dirname, '..');
const root = resolve(here, '../..');

const limits = Object.keys(choices.limit.options) as Settings['limit'][];
const orders = Object.keys(choices.order.options) as Settings['order'][];

/** The code for each limit and order, by the name of a virtual file. The numbers are the smallest and the largest. */
const files = new Map(
  limits.flatMap((limit) =>
    orders.flatMap((order) =>
      (['min', 'max'] as const).map((end) => {
        const { fixed, queueLimit, queueTimeout } = ranges;
        const numbers = {
          ...{ fixed: fixed[end], queueLimit: queueLimit[end], queueTimeout: queueTimeout[end] },
        };
        const code = codeOf(settingsWith({ limit, order, ...numbers }));
        return [join(here, `${limit}-${order}-${end}.ts`), code] as const;
      }),
    ),
  ),
);

function diagnosticsOf(sources: ReadonlyMap<string, string>): string[] {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, root);
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (file) => sources.has(file) || fileExists(file);
  host.readFile = (file) => sources.get(file) ?? readFile(file);
  host.getSourceFile = (file, target, ...rest) => {
    const text = sources.get(file);
    if (text === undefined) return getSourceFile(file, target, ...rest);
    return ts.createSourceFile(file, text, target);
  };
  const program = ts.createProgram([...sources.keys()], options, host);
  return [...sources.keys()].flatMap((file) =>
    ts
      .getPreEmitDiagnostics(program, program.getSourceFile(file))
      .map(({ messageText }) => `${file}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`),
  );
}

/** Once and before the tests, since compiling takes longer than the timeout of a test. */
const mistake =
  "import { concurrencyLimit } from '@headgate/express';\nconcurrencyLimit({ limt: 1 });\n";
const mistakes = diagnosticsOf(new Map([...files, [join(here, 'mistake.ts'), mistake]]));

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
      expect(mistakes.filter((message) => message.startsWith(file))).toEqual([]);
    },
  );

  it('is compiled so that a misspelled option would be found', () => {
    expect(mistakes.filter((message) => message.includes('mistake.ts'))).toHaveLength(1);
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
