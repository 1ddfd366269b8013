import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import request from 'supertest';
import ts from 'typescript';
import { expect, it, onTestFinished, vi } from 'vitest';
import { read, root } from './pages.ts';

/** Where a file finds the packages that the examples have. */
const folder = join(root, 'examples/node_modules/.cache');

it('docs/testing.md has a test that passes', async () => {
  const [, code = ''] = /^```ts\n(import assert.*?)^```/ms.exec(read('docs/testing.md')) ?? [];
  const file = join(folder, `testing-${process.pid}.test.ts`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, code);
  onTestFinished(() => rmSync(file));
  // Without the variable by which node:test marks a child of its own runner.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const flags = ['--conditions=headgate-source', '--import=tsx', '--test-reporter=tap'];
  const child = spawn(process.execPath, [...flags, file], { env, cwd: join(root, 'examples') });
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  expect(stdout, stderr).toMatch(/^# pass 1$/m);
  expect(exitCode).toBe(0);
});

/** The tests of Vitest that the page and its tabs show, by the package of the adapter. */
const shown = ['docs/testing.md', 'docs/tabs/testing.md'].flatMap((page) =>
  [...read(page).matchAll(/^```ts\n(.*?)^```/gms)]
    .map(([, code = '']) => code)
    .filter((code) => code.includes("from 'vitest'"))
    .map((code): [string, string] => [/@headgate\/\w+/.exec(code)?.[0] ?? '', code]),
);

/** What the examples have installed. */
const frameworks = createRequire(join(root, 'examples/package.json'));

it.each(shown)('the test for Vitest with %s passes', async (adapter, code) => {
  const { concurrencyLimit } = await import(frameworks.resolve(adapter));
  const body = ts.transpile(code.replace(/^import .*;$/gm, ''), {
    target: ts.ScriptTarget.ES2022,
  });
  const [express, Fastify, Koa] = ['express', 'fastify', 'koa'].map((name) => frameworks(name));
  const { Hono } = frameworks('hono');
  let run = async () => {};
  const test = (_title: string, fn: () => Promise<void>) => {
    run = fn;
  };
  // Also on a busy machine.
  const patient = {
    waitUntil: (condition: () => boolean) => vi.waitUntil(condition, { timeout: 25_000 }),
  };
  const used = { concurrencyLimit, express, Fastify, Hono, Koa, request };
  const names = { ...used, expect, test, vi: patient };
  new Function(...Object.keys(names), body)(...Object.values(names));
  await run();
});
