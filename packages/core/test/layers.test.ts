import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

const source = resolve(import.meta.dirname, '../src');

/** The files that all folders share. */
const shared = '.';

/** From the lowest folder to the highest: the folders that the files of each may import from, types included. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  [shared]: [],
  limits: [shared],
  semaphore: ['limits', shared],
  queues: ['semaphore', 'limits', shared],
  pacing: ['limits', shared],
  shadow: ['semaphore', 'limits', shared],
  limiter: ['shadow', 'queues', 'semaphore', 'limits', shared],
  gate: ['limiter', 'shadow', 'queues', 'semaphore', 'limits', shared],
  http: ['gate', 'limiter', 'pacing', 'queues', 'semaphore', 'limits', shared],
  metrics: ['limiter', 'semaphore', shared],
  guard: ['gate', 'limiter', 'semaphore', shared],
};

/** Entry points next to the folders, which gather their public names. */
const entryPoints = ['index.ts', 'app.ts', 'engine.ts', 'options.ts'];

interface Import {
  readonly from: string;
  readonly to: string;
}

const imports = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !entryPoints.includes(file))
  .flatMap((from): Import[] => {
    const { importedFiles } = ts.preProcessFile(readFileSync(join(source, from), 'utf8'));
    const folder = join(source, dirname(from));
    return importedFiles.map(({ fileName }) => ({
      from,
      to: relative(source, join(folder, fileName)),
    }));
  });

function folderOf(file: string): string {
  return dirname(file).split(sep)[0] as string;
}

it('each folder imports only from the folders below it', () => {
  const isUpward = ({ from, to }: Import) =>
    folderOf(from) !== folderOf(to) && !allowed[folderOf(from)]?.includes(folderOf(to));
  expect(imports.filter(isUpward)).toEqual([]);
});

it('the table has every folder', () => {
  const folders = new Set(imports.map(({ from }) => folderOf(from)));
  expect([...folders].sort()).toEqual(Object.keys(allowed).sort());
});

it('no file imports modules of Node', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' });
  const sources = files.filter((file) => file.endsWith('.ts'));
  expect(sources.length).toBeGreaterThan(50);
  const bound = sources.filter((file) =>
    /from 'node:/.test(readFileSync(join(source, file), 'utf8')),
  );
  expect(bound).toEqual([]);
});
