import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('./neighbour-process.js', import.meta.url));

/** Starts one process per core that computes for half of the time, until this process ends. */
export function startNeighbours(): void {
  for (let i = 0; i < availableParallelism(); i++) {
    const neighbour = fork(program, { execArgv: [] });
    neighbour.unref();
    neighbour.channel?.unref();
  }
}
