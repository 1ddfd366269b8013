import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

const source = resolve(import.meta.dirname, '../src');

/** From the lowest to the highest. All other files and folders may import from each of these. */
const layers = [
  'contract.ts',
  'operated-code.ts',
  'settings.ts',
  'lease',
  'availability',
  'semaphore',
];

function layerOf(file: string): number {
  const layer = layers.indexOf(file.split(sep)[0] as string);
  return layer >= 0 ? layer : layers.length;
}

it('each layer imports only from the layers below it, types included', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' });
  const imports = files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((from) =>
      ts
        .preProcessFile(readFileSync(join(source, from), 'utf8'))
        .importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
        .map(({ fileName }) => ({
          from,
          to: relative(source, join(source, dirname(from), fileName)),
        })),
    );
  expect(imports.length).toBeGreaterThan(50);
  expect(imports.filter(({ from, to }) => layerOf(from) < layerOf(to))).toEqual([]);
});
