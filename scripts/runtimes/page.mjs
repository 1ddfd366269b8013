// Writes the results, the differences and the sizes of docs/lab/runtimes.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { differences } from './differences.mjs';
import { idOf, runtimes } from './runtimes.mjs';

export function writePage(rows, sizes) {
  const page = 'docs/lab/runtimes.md';
  const parts = {
    results: resultsTable(rows),
    differences: differencesList(),
    sizes: sizesTable(sizes),
  };
  writeFileSync(page, withParts(readFileSync(page, 'utf8'), parts));
}

/** Replaces the text between the markers of each part. */
function withParts(text, parts) {
  return Object.entries(parts).reduce(
    (page, [name, part]) =>
      page.replace(
        new RegExp(`(<!-- ${name} -->\n).*?(<!-- end of ${name} -->)`, 's'),
        (_, start, end) => `${start}\n${part}\n${end}`,
      ),
    text,
  );
}

/** A row for each suite, with its results on each runtime. */
function resultsTable(rows) {
  const suites = new Map(rows.map(({ suite }) => [`${suite.package}, ${suite.name}`, suite]));
  const lines = [...suites].map(([title, { package: owner, name }]) => {
    const cells = runtimes.map((runtime) => {
      const isOfBoth = (row) => row.suite.package === owner && row.suite.name === name;
      return cellOf(rows.find((row) => row.runtime === runtime && isOfBoth(row)));
    });
    return `| ${[title, ...cells].join(' | ')} |`;
  });
  const heads = runtimes.map(({ name, version }) => `${name} ${version}`);
  const rules = runtimes.map(() => '---:');
  return [
    `| ${['Suite', ...heads].join(' | ')} |`,
    `| ${['---', ...rules].join(' | ')} |`,
    ...lines,
    '',
  ].join('\n');
}

/** `369, 1 different`: the number of passed tests, and the others. */
function cellOf(row) {
  if (row === undefined) return '–';
  const others = [
    [row.failed, 'failed'],
    [row.different, 'different'],
    [row.inapplicable, 'not applicable'],
  ].filter(([count]) => count > 0);
  return [row.passed, ...others.map((each) => each.join(' '))].join(', ');
}

export function differencesList() {
  // `Bun.serve` and `Deno.serve` name their runtimes.
  const placeOf = ({ on, where }) => (where.includes('serve') ? where : `${namesOf(on)}, ${where}`);
  return differences.map((each) => `- **${placeOf(each)}:** ${each.text}\n`).join('');
}

/** `Node 24, Node 26`, `Bun`. */
function namesOf(ids) {
  const known = runtimes.filter((runtime) => ids.includes(idOf(runtime)));
  const names = known.map(({ name, version }) =>
    name === 'Node' ? `Node ${version.split('.')[0]}` : name,
  );
  return names.join(', ');
}

function sizesTable(sizes) {
  const lines = sizes.map(
    ({ name, files, bytes }) => `| ${name} | ${files} | ${Math.round(bytes / 1024)} |`,
  );
  return ['| Package | Files | kB installed |', '| --- | ---: | ---: |', ...lines, ''].join('\n');
}
