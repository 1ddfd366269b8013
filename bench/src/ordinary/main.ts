// npm run bench -- ordinary [--only polls] [--write]: the default limit in front of handlers that hardly compute, while
// the CPU is idle: nothing should be rejected. Fails if a goal is missed. --write also writes the table of its page.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { withSection } from '../overload/page-tables.ts';
import { progress } from '../runner.ts';
import { number, type Table, toMarkdown, toText, verdict } from '../table.ts';
import { answeredPart, type Scene, scenes } from './scenes.ts';

const { values: options } = parseArgs({
  options: {
    /** A regular expression that selects scenes. */
    only: { type: 'string', default: '' },
    write: { type: 'boolean', default: false },
  },
});
if (options.write && options.only !== '') throw new Error('--write needs all scenes');
const page = resolve(import.meta.dirname, '../../../docs/lab/ordinary-load.md');
const program = fileURLToPath(new URL('./server.js', import.meta.url));

/** The part that is answered by a new server with this limit. */
async function measure(scene: Scene, limit: string): Promise<number> {
  const { queueTimeout } = scene;
  const args = [limit, ...(queueTimeout === undefined ? [] : [String(queueTimeout)])];
  const server = fork(program, args, { execArgv: ['--disable-warning=HEADGATE_SHEDDING'] });
  const [port] = await once(server, 'message');
  try {
    return await answeredPart(scene, port as number);
  } finally {
    server.disconnect();
  }
}

async function ordinaryTable(only: RegExp): Promise<Table> {
  const chosen = scenes.filter(({ name }) => only.test(name));
  const rows: string[][] = [];
  const goals: Table['goals'][number][] = [];
  for (const scene of chosen) {
    progress(scene.name);
    const parts: number[] = [];
    for (const limit of ['none', 'default', String(scene.fixed ?? 50)])
      parts.push(await measure(scene, limit));
    const [none = 0, measured = 0] = parts;
    rows.push([scene.name, ...parts.map(number)]);
    const { name: what, goal } = scene;
    if (goal !== undefined)
      goals.push({ what, target: goal * none, atLeast: true, measured, unit: '' });
  }
  progress('');
  const columns = ['', 'no limit', 'the default limit', 'a fixed limit'];
  return { title: 'the part that is answered', columns, rows, goals };
}

const table = await ordinaryTable(new RegExp(options.only, 'i'));
console.log(toText(table));
if (table.goals.some((goal) => verdict(goal) === 'not reached')) process.exitCode = 1;
if (options.write) {
  const section = { heading: 'While the CPU is idle', words: [] };
  writeFileSync(page, withSection(readFileSync(page, 'utf8'), section, toMarkdown(table)));
}
