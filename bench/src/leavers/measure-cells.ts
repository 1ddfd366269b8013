import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createLimiter } from '@headgate/core';
import { progress } from '../runner.ts';

/** What `measure.ts` of a part exports. */
export type Measure<Cell, Figures> = (cell: Cell) => Promise<Figures>;

const program = fileURLToPath(new URL('./cell-process.js', import.meta.url));

interface Processes {
  /** The number of processes at once. Default: 8, since cells mostly wait for timers. */
  atOnce?: number;
  /** How many times as fast the time of `scaled-time.ts` runs. */
  speed?: number;
}

/** Measures each cell in a process of its own, some at once; resolves to the figures in the order of the cells. */
export async function measureCells<Cell, Figures>(
  part: string,
  cells: readonly Cell[],
  { atOnce = 8, speed }: Processes = {},
): Promise<Figures[]> {
  const unbounded = {
    queueLimit: Number.POSITIVE_INFINITY,
    queueTimeout: Number.POSITIVE_INFINITY,
  };
  const processes = createLimiter({ name: 'cells', limit: atOnce, ...unbounded });
  const env = speed === undefined ? process.env : { ...process.env, SPEED: String(speed) };
  let done = 0;
  const measured = cells.map((cell) =>
    processes.run(async () => {
      const figures = await inProcess<Figures>(part, JSON.stringify(cell), env);
      progress(`${part}: ${++done}/${cells.length}`);
      return figures;
    }),
  );
  const figures = await Promise.all(measured);
  progress('');
  return figures;
}

async function inProcess<Figures>(
  part: string,
  cell: string,
  env: NodeJS.ProcessEnv,
): Promise<Figures> {
  // The limits of most cells reject requests, as they should.
  const execArgv = ['--disable-warning=HEADGATE_SHEDDING'];
  const child = fork(program, [part, cell], { execArgv, env });
  const exit = once(child, 'exit').then(([code]) => {
    throw new Error(`${part}: the process of ${cell} ended with ${code}`);
  });
  const [figures] = await Promise.race([once(child, 'message'), exit]);
  exit.catch(() => {});
  return figures as Figures;
}
