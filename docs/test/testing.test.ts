import { createRequire } from 'node:module';
import { join } from 'node:path';
import request from 'supertest';
import ts from 'typescript';
import { expect, it, vi } from 'vitest';
import { read, root } from './pages.ts';

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
