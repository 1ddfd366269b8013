import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
/** From where the snippets are compiled: the examples have every framework installed. */
const home = join(root, 'examples');

const pages = [
  'README.md',
  ...markdownIn('docs'),
  ...readdirSync(join(root, 'packages')).map((name) => `packages/${name}/README.md`),
];

function markdownIn(folder: string): string[] {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return files.filter((file) => file.endsWith('.md')).map((file) => join(folder, file));
}

/** What the pages take for granted. */
const granted = `
import type { Express, RequestHandler } from 'express';

declare global {
  const app: Express;
  const authenticate: RequestHandler;
  const bestsellers: string[];
  function recommendations(path: string): Promise<string[]>;
  function render(text: string): Promise<string>;
  function snapshot(): Promise<string>;
  function subscribe(listener: (event: string) => void): void;

  namespace Express {
    interface Request {
      account?: { id: string; plan: 'free' | 'paid' };
    }
  }
}`;

/** The TypeScript of every page, by the name of a file that is not there. */
const snippets = new Map([[join(home, 'granted.d.ts'), granted]]);
for (const page of pages) {
  const text = readFileSync(join(root, page), 'utf8');
  for (const [index, [, code = '']] of [...text.matchAll(/^```ts\n(.*?)^```/gms)].entries()) {
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
  host.getSourceFile = (file, ...rest) => {
    const text = snippets.get(file);
    if (text === undefined) return getSourceFile(file, ...rest);
    return ts.createSourceFile(file, text, ...rest);
  };
  return ts.createProgram([...snippets.keys()], options, host);
}

/** At once and before the tests, as compiling takes longer than one of them may. */
const mistakes = ts.getPreEmitDiagnostics(compile()).map(({ file, start = 0, messageText }) => {
  const line = (file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1;
  return {
    file: file?.fileName,
    message: `line ${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
  };
});

describe('the code that the pages show', () => {
  it('is found', () => {
    expect(snippets.size).toBeGreaterThan(10);
  });

  it.each([...snippets.keys()].map((file) => [file.slice(home.length + 1), file]))(
    'compiles: %s',
    (_, file) => {
      const messages = mistakes.filter((mistake) => mistake.file === file);
      expect(messages.map(({ message }) => message)).toEqual([]);
    },
  );

  it('needs nothing else that does not compile', () => {
    expect(mistakes.filter(({ file }) => file === undefined || !snippets.has(file))).toEqual([]);
  });
});
