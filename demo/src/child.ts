import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

interface Message {
  kind: string;
  value: unknown;
}

const alive = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});
// Ends the process in a way that runs the listener above.
process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));
process.on('SIGHUP', () => process.exit(129));

/** Starts a file of this folder in its own process, which ends with this one at the latest. */
export function start(file: string, argument: unknown): ChildProcess {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = fork(path, [JSON.stringify(argument)], {
    env: { ...process.env, NODE_ENV: 'production' },
  });
  alive.add(child);
  child.once('exit', () => alive.delete(child));
  return child;
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** The next message of a kind; rejects when the child ends without one. */
export function next<T>(child: ChildProcess, kind: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const settled = () => {
      child.off('message', onMessage);
      child.off('exit', onExit);
    };
    const onMessage = (message: unknown) => {
      const { kind: heard, value } = message as Message;
      if (heard !== kind) return;
      settled();
      resolve(value as T);
    };
    const onExit = (code: number | null, signal: string | null) => {
      settled();
      reject(new Error(`${child.spawnargs.at(-2)} ended (${signal ?? code}) before it was done`));
    };
    child.on('message', onMessage);
    child.on('exit', onExit);
  });
}

export function each<T>(child: ChildProcess, kind: string, listen: (value: T) => void): void {
  child.on('message', (message) => {
    if ((message as Message).kind === kind) listen((message as Message).value as T);
  });
}
