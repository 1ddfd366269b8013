import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { read, root } from '../../docs/test/pages.ts';
import { manifestOf } from '../packages.mjs';

/** Process-wide, and reset for each test: no package exports it. */
const exempt = ['packages/core/src/warning.ts'];

/** The folder of the package that has this file, such as `packages/core`; empty for files of the root. */
function packageOf(file: string): string {
  return /^(packages|internal)\/[^/]+|^(bench|examples)(?=\/)/.exec(file)?.[0] ?? '';
}

function foreignImports(file: string): string[] {
  const { importedFiles } = ts.preProcessFile(read(file));
  return importedFiles
    .filter(({ fileName }) => fileName.startsWith('.'))
    .map(({ fileName }) => join(dirname(file), fileName))
    .filter((target) => packageOf(target) !== '' && packageOf(target) !== packageOf(file))
    .filter((target) => !exempt.includes(target))
    .map((target) => `${file} imports ${target}`);
}

const skipped = ['node_modules', 'dist', 'out', 'coverage', 'consumer'];

function sourcesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (skipped.includes(entry.name) || entry.name.startsWith('.')) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sourcesIn(path);
    return /\.m?[jt]s$/.test(entry.name) ? [path] : [];
  });
}

it('a file imports another package by its name, not by a path', () => {
  const files = sourcesIn('.');
  expect(files.length).toBeGreaterThan(100);
  expect(files.flatMap(foreignImports)).toEqual([]);
});

const folders = ['packages', 'internal'].flatMap((parent) =>
  readdirSync(join(root, parent)).map((name) => `${parent}/${name}`),
);

/** The packages of the workspace that this one names, by name. */
const dependencies = new Map<string, string[]>(
  ['bench', 'examples', ...folders].map((folder) => {
    const { name, dependencies: run, devDependencies: test } = manifestOf(folder);
    return [name, Object.keys({ ...run, ...test }).filter((each) => each.startsWith('@headgate/'))];
  }),
);

function cycleFrom(path: string[]): string[] | undefined {
  const last = path.at(-1) as string;
  if (path.indexOf(last) < path.length - 1) return path;
  for (const next of dependencies.get(last) ?? []) {
    const cycle = cycleFrom([...path, next]);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

it('no package depends on itself by way of others: tests take these from the root', () => {
  expect([...dependencies.keys()].flatMap((name) => cycleFrom([name]) ?? [])).toEqual([]);
});
