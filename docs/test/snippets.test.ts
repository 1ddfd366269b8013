import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
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
  function recommendations(path: string): Promise<string[]>;
  function render(text: string, signal?: AbortSignal): Promise<string>;
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

function compile(): ts.Program {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, root);
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (file) => snippets.has(file) || fileExists(file);
  host.readFile = (file) => snippets.get(file) ?? readFile(file);
  host.getSourceFile = (file, target, ...rest) => {
    const text = snippets.get(file);
    if (text === undefined) return getSourceFile(file, target, ...rest);
    return ts.createSourceFile(file, text, target);
  };
  return ts.createProgram([...snippets.keys()], options, host);
}

/** Once and before the tests, since compiling takes longer than the timeout of a test. */
const program = compile();
// The sources that the snippets import are checked with all others.
const diagnostics = [...snippets.keys()].flatMap((file) =>
  ts.getPreEmitDiagnostics(program, program.getSourceFile(file)),
);
const mistakes = diagnostics.map(({ file, start = 0, messageText }) => {
  const line = (file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1;
  return {
    file: file?.fileName,
    message: `line ${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
  };
});

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
