import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { compile } from './compile.ts';
import type { Part } from './part.ts';
import { measure } from './runner.ts';
import { type Table, toMarkdown, toText } from './table.ts';

const modules: Record<string, string> = {
  a: 'a-uncontended',
  b: 'b-contended',
  c: 'c-memory',
  d: 'd-leaving',
  e: 'e-keys',
};

async function runPart(letter: string): Promise<Table[]> {
  const name = modules[letter];
  if (!name) throw new Error(`no part is called ${letter}: choose from ${Object.keys(modules)}`);
  const { part } = (await import(new URL(`../dist/${name}.js`, import.meta.url).href)) as {
    part: Part;
  };
  const chosen = Object.keys(part.measurements).filter((key) => key.includes(values.only ?? ''));
  return [part.report(await measure(name, chosen, part.plan))];
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    markdown: { type: 'string' },
    only: { type: 'string' },
  },
});

compile();
const machine = `Node ${process.version.slice(1)}, ${cpus().length} × ${cpus()[0]?.model.trim()}`;
console.log(`${machine}\n`);
const tables: Table[] = [];
for (const letter of positionals.length > 0 ? positionals : Object.keys(modules)) {
  for (const table of await runPart(letter)) {
    tables.push(table);
    console.log(`${toText(table)}\n`);
  }
}
if (values.markdown) {
  const sections = [`${machine}.`, ...tables.map(toMarkdown)];
  writeFileSync(values.markdown, `${sections.join('\n\n')}\n`);
}
