import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createLimiter } from '@headgate/core';
import { progress } from '../runner.ts';

/** What `measure.ts` of a part exports. */
export type Measure<Cell, Figures> = (cell: Cell) => Promise<Figures>;

const program = fileURLToPath(new URL('./cell-process.js', import.meta.url));

/** Cells mostly wait for timers. */
const AT_ONCE = 8;

/** Measures each cell in a process of its own, some at once; resolves to the figures in the order of the cells. */
export async function measureCells<Cell, Figures>(
  part: string,
  cells: readonly Cell[],
): Promise<Figures[]> {
  const unbounded = {
    queueLimit: Number.POSITIVE_INFINITY,
    queueTimeout: Number.POSITIVE_INFINITY,
  };
  const processes = createLimiter({ name: 'cells', limit: AT_ONCE, ...unbounded });
  let done = 0;
  const measured = cells.map((cell) =>
    processes.run(async () => {
      const figures = await inProcess<Figures>(part, JSON.stringify(cell));
      progress(`${part}: ${++done}/${cells.length}`);
      return figures;
    }),
  );
  const figures = await Promise.all(measured);
  progress('');
  return figures;
}

async function inProcess<Figures>(part: string, cell: string): Promise<Figures> {
  // The limits of most cells reject requests, as they should.
  const child = fork(program, [part, cell], { execArgv: ['--disable-warning=HEADGATE_SHEDDING'] });
  const exit = once(child, 'exit').then(([code]) => {
    throw new Error(`${part}: the process of ${cell} ended with ${code}`);
  });
  const [figures] = await Promise.race([once(child, 'message'), exit]);
  exit.catch(() => {});
  return figures as Figures;
}
