import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '../..');

export function read(page: string): string {
  return readFileSync(join(root, page), 'utf8');
}

function markdownIn(folder: string): string[] {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return files.filter((file) => file.endsWith('.md')).map((file) => join(folder, file));
}

/** The documentation, as paths from the root. */
export const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...markdownIn('docs'),
  'examples/README.md',
  'packages/core/src/README.md',
  'packages/core/SKILL.md',
  ...['packages', 'internal'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => `${folder}/${name}/README.md`),
  ),
];
