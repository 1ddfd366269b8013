import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { progress } from './runner.ts';
import { type Table, toMarkdown, toText } from './table.ts';

/** Durations and rounds. The quick plan shows that a benchmark works; its figures mean nothing. */
export interface Plans<P> {
  readonly full: P;
  readonly quick: P;
}

type PartOf<P> = (plan: P) => Promise<Table>;

/** Runs the parts named on the command line, or all. */
export async function runParts<P>(
  plans: Plans<P>,
  parts: Readonly<Record<string, PartOf<P>>>,
): Promise<void> {
  const { values: options, positionals: chosen } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      markdown: { type: 'string' },
    },
  });
  const unknown = chosen.find((name) => !(name in parts));
  if (unknown !== undefined)
    throw new Error(`no part is called ${unknown}: there are ${Object.keys(parts)}`);
  const plan = options.quick ? plans.quick : plans.full;
  const machine = `Node ${process.version.slice(1)}, ${cpus().length} × ${cpus()[0]?.model.trim()}`;
  console.log(`${machine}\n`);
  const tables: Table[] = [];
  for (const [name, part] of Object.entries(parts)) {
    if (chosen.length > 0 && !chosen.includes(name)) continue;
    const table = await part(plan);
    progress('');
    tables.push(table);
    console.log(`${toText(table)}\n`);
  }
  if (options.markdown) {
    const sections = [`${machine}.`, ...tables.map(toMarkdown)];
    writeFileSync(options.markdown, `${sections.join('\n\n')}\n`);
  }
}
