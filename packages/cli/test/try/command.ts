import { type ChildProcess, spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** The durations of short passes, in milliseconds. */
export const shortTimes = {
  ...{ warmUp: 250, capacity: 500, before: 500, spike: 1_000, afterwards: 500, maxStart: 60_000 },
};

const program = fileURLToPath(new URL('./short-try.ts', import.meta.url));

/** Starts `headgate try` with short passes. */
export function startTry(...args: string[]): ChildProcess {
  const flags = ['--import=tsx', '--conditions=headgate-source'];
  return spawn(process.execPath, [...flags, program, 'try', ...args]);
}

/** Runs it to its end. */
export async function runTry(...args: string[]) {
  const child = startTry(...args);
  const ended = new Promise((resolve) => child.once('close', resolve));
  const [stdout, stderr] = await Promise.all([child.stdout, child.stderr].map(text as never));
  return { code: await ended, stdout, stderr } as { code: number; stdout: string; stderr: string };
}

/** The command of a server with this listener; `extra` runs before. */
export const server = (listener: string, extra = '', port = 'process.env.PORT'): string[] => [
  ...['--', process.execPath, '-e'],
  `${extra};require('node:http').createServer((req, res) => { ${listener} }).listen(${port}, '127.0.0.1')`,
];
