import { join } from 'node:path';
import { mistakesIn } from '@headgate/test-kit/mistakes';
import { describe, expect, it } from 'vitest';
import { example } from '../site/llms.ts';
import { pages, read, root } from './pages.ts';

/** From where the snippets are compiled: the examples have every framework installed. */
const home = join(root, 'examples');

/** Declarations that the snippets assume. */
const granted = `
import type { Express, RequestHandler } from 'express';

declare global {
  const app: Express;
  const authenticate: RequestHandler;
  const bestsellers: string[];
  function queryPlan(account: string): Promise<'paid' | 'free'>;
  function recommendations(path: string): Promise<string[]>;
  function render(text: string, signal?: AbortSignal): Promise<string>;
  function tenantOf(authorization: string | undefined): Promise<string | undefined>;
  function snapshot(): Promise<string>;
  function subscribe(listener: (event: string) => void): () => void;
  function tokens(signal?: AbortSignal): AsyncGenerator<string>;

  namespace Express {
    interface Request {
      account?: { id: string; plan: 'free' | 'paid' };
    }
  }
}`;

const fence = /^```ts\n(.*?)^```/gms;

/** The TypeScript snippets of every page, by the name of a virtual file. */
const snippets = new Map([[join(home, 'granted.d.ts'), granted]]);
for (const page of pages) {
  for (const [index, [, code = '']] of [...read(page).matchAll(fence)].entries()) {
    const name = `${page.replace(/[/.]/g, '-')}-${index + 1}.ts`;
    snippets.set(join(home, name), code);
  }
}

snippets.set(join(home, 'llms-txt.ts'), example);

/** Once and before the tests, since compiling takes longer than the timeout of a test. */
const mistakes = mistakesIn(snippets);

it("the README's server compiles as it stands", () => {
  const [, server = ''] = /^```ts\n(.*?)^```/ms.exec(read('README.md')) ?? [];
  expect(server).toContain('app.listen(3000)');
  expect(mistakesIn(new Map([[join(home, 'readme.ts'), server]]))).toEqual([]);
}, 60_000);

describe('the snippets of the pages', () => {
  it('are found', () => {
    expect(snippets.size).toBeGreaterThan(10);
  });

  it('import no package that an application of a framework has not installed', () => {
    const adapter = /from '@headgate\/(express|koa|hono|fastify|nestjs|node|web)'/;
    const both = [...snippets].filter(
      ([, code]) => adapter.test(code) && code.includes("from '@headgate/core'"),
    );
    expect(both.map(([file]) => file.slice(home.length + 1))).toEqual([]);
  });

  it.each([...snippets.keys()].map((file) => [file.slice(home.length + 1), file]))(
    'compile: %s',
    (_, file) => {
      const messages = mistakes.filter((mistake) => mistake.file === file);
      expect(messages.map(({ message }) => message)).toEqual([]);
    },
  );
});
