// npm run bench -- overload page: measures each section of docs/lab/overload-measured.md, and writes the tables into that page.
// A section whose results are in out/overload is not measured again.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type PageSection, pageSections } from './page-sections.ts';
import { withCommonTables, withSection } from './page-tables.ts';

const root = resolve(import.meta.dirname, '../../..');
const folder = join(root, 'out/overload');
const page = join(root, 'docs/lab/overload-measured.md');

function resultsOf({ name, words, node }: PageSection): string {
  const file = join(folder, `${name}.md`);
  if (!existsSync(file)) {
    const [program, ...options] = nodeOf(node);
    const benchmark = join(import.meta.dirname, 'main.js');
    execFileSync(program, [...options, benchmark, ...words, '--markdown', file], {
      stdio: 'inherit',
    });
  }
  return readFileSync(file, 'utf8');
}

function nodeOf(version: number | undefined): [string, ...string[]] {
  return version === undefined ? [process.execPath] : ['npx', '--yes', `node@${version}`];
}

mkdirSync(folder, { recursive: true });
for (const [i, section] of pageSections.entries()) {
  const results = resultsOf(section);
  const before = readFileSync(page, 'utf8');
  const common = i === 0 ? withCommonTables(before, results) : before;
  writeFileSync(page, withSection(common, section, results));
}
