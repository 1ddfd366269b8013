// Writes the tables of docs/runtimes.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { differences } from './differences.mjs';
import { idOf, runtimes } from './runtimes.mjs';

const page = 'docs/runtimes.md';

export function writePage(rows, sizes) {
  const text = readFileSync(page, 'utf8');
  const parts = {
    results: resultsTable(rows),
    differences: differencesTable(),
    sizes: sizesTable(sizes),
  };
  writeFileSync(page, withParts(text, parts));
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

function resultsTable(rows) {
  const order = (row) => runtimes.indexOf(row.runtime);
  const sorted = [...rows].sort((a, b) => order(a) - order(b));
  const lines = sorted.map(({ runtime, suite, passed, failed, different, inapplicable }) => {
    const counts = [passed, failed, different, inapplicable].join(' | ');
    return `| ${runtime.name} | ${runtime.version} | ${suite.package} | ${suite.name} | ${counts} |`;
  });
  return [
    '| Runtime | Version | Package | Suite | Passed | Failed | Different | Not applicable |',
    '| --- | --- | --- | --- | ---: | ---: | ---: | ---: |',
    ...lines,
    '',
  ].join('\n');
}

export function differencesTable() {
  const lines = differences.map(({ on, where, text }) => `| ${namesOf(on)} | ${where} | ${text} |`);
  return ['| Runtime | Where | Difference |', '| --- | --- | --- |', ...lines, ''].join('\n');
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
