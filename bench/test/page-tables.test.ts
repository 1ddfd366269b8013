import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { pageSections } from '../src/overload/page-sections.ts';
import { withCommonTables, withSection } from '../src/overload/page-tables.ts';

const page = `# Page

Text.

## Settings

| old |
| --- |

## The cost of one rejection

| old |
| --- |

## Computing

Before.

**Old.**

| old |
| --- |

Old note.

**Old limits.**

| old |
| --- |

After.

## Waiting

Untouched.
`;

const results = `Node 20.

### Settings

| new settings |
| --- |

### The cost of one rejection

| new cost |
| --- |

### cpu: 10 ms of CPU

| new load |
| --- |

New note.

### cpu: the limit

| new limits |
| --- |
`;

it('replaces the tables of a section and keeps the text around them', () => {
  expect(withSection(page, { heading: 'Computing', words: ['cpu'] }, results)).toBe(
    page.replace(
      /\*\*Old\.[\s\S]*(?=\n\nAfter)/,
      '**10 ms of CPU.**\n\n| new load |\n| --- |\n\nNew note.\n\n**The limit.**\n\n| new limits |\n| --- |',
    ),
  );
});

it('adds tables to a section without any', () => {
  const written = withSection(page, { heading: 'Waiting', words: ['cpu'] }, results);
  expect(written.startsWith(page)).toBe(true);
  expect(written.slice(page.length)).toMatch(/^\n\*\*10 ms[\s\S]*\| new limits \|\n\| --- \|\n$/);
});

it('repeats the cost of one rejection with a connection for each request', () => {
  const words = ['cpu', '--own-connections'];
  const written = withSection(page, { heading: 'Computing', words }, results);
  expect(written).toContain('**The cost of one rejection.**\n\n| new cost |');
});

it('replaces the settings and the cost of one rejection of the page', () => {
  expect(withCommonTables(page, results)).toBe(
    page.replace('| old |', '| new settings |').replace('| old |', '| new cost |'),
  );
});

it('adds a section that the page lacks at its end', () => {
  const written = withSection(page, { heading: 'Sleeping', words: ['pool'] }, results);
  expect(written.startsWith(page)).toBe(true);
  expect(written.slice(page.length)).toMatch(/^\n## Sleeping\n\n\*\*10 ms[\s\S]*\| --- \|\n$/);
});

it('repeats the settings in the section of a spike, which has servers of its own', () => {
  const words = ['--spike'];
  const written = withSection(page, { heading: 'Waiting', words }, results);
  expect(written.slice(page.length)).toContain('**Settings.**\n\n| new settings |');
});

it('refuses a page without a place for the settings', () => {
  expect(() => withCommonTables('# Page\n', results)).toThrow('the page has no heading "Settings"');
});

it('finds the heading of each section, and writes the same page twice', () => {
  const file = join(resolve(import.meta.dirname, '../..'), 'docs/lab/overload-measured.md');
  const published = readFileSync(file, 'utf8');
  const write = (before: string) =>
    pageSections.reduce((written, section) => withSection(written, section, results), before);
  const once = write(published);
  expect(once).not.toBe(published);
  expect(write(once)).toBe(once);
});
