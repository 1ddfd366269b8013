import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { part as uncontended } from './a-uncontended.ts';
import { part as contended } from './b-contended.ts';
import { part as memory } from './c-memory.ts';
import { part as leaving } from './d-leaving.ts';
import { part as keys } from './e-keys.ts';
import { httpTable } from './f-http.ts';
import { gatewayTable } from './j-gateway.ts';
import type { Part } from './part.ts';
import { measure } from './runner.ts';
import { type Table, toMarkdown, toText } from './table.ts';

const inProcesses = (module: string, part: Part) => async (): Promise<Table> => {
  const chosen = Object.keys(part.measurements).filter((name) => only.test(name));
  return part.report(await measure(module, chosen, part.sampling));
};

const parts: Record<string, () => Promise<Table>> = {
  a: inProcesses('a-uncontended', uncontended),
  b: inProcesses('b-contended', contended),
  c: inProcesses('c-memory', memory),
  d: inProcesses('d-leaving', leaving),
  e: inProcesses('e-keys', keys),
  f: () => httpTable({ only, rounds: Number(options.rounds), runtime: options.runtime }),
  j: () => gatewayTable(only),
};

const { values: options, positionals: chosen } = parseArgs({
  allowPositionals: true,
  options: {
    /** A regular expression that selects measurements within the chosen parts. */
    only: { type: 'string', default: '' },
    /** The rounds of each process of part (f). */
    rounds: { type: 'string', default: '8' },
    /** The path of Bun, Deno or another version of Node, on which the servers of part (f) run. */
    runtime: { type: 'string' },
    markdown: { type: 'string' },
  },
});

const only = new RegExp(options.only);
const machine = `Node ${process.version.slice(1)}, ${cpus().length} × ${cpus()[0]?.model.trim()}`;
console.log(`${machine}\n`);
const tables: Table[] = [];
for (const letter of chosen.length > 0 ? chosen : Object.keys(parts)) {
  const part = parts[letter];
  if (!part) throw new Error(`no part is called ${letter}: there are ${Object.keys(parts)}`);
  const table = await part();
  tables.push(table);
  console.log(`${toText(table)}\n`);
}
if (options.markdown) {
  const sections = [`${machine}.`, ...tables.map(toMarkdown)];
  writeFileSync(options.markdown, `${sections.join('\n\n')}\n`);
}
