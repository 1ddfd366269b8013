import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Message {
  kind: string;
  value: unknown;
}

const alive = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});
// Exits in a way that runs the listener above.
process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));
process.on('SIGHUP', () => process.exit(129));

/** Runs a file of this folder in its own process, which is killed when this process exits. */
export function start(file: string, argument: unknown = {}): ChildProcess {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = fork(path, [JSON.stringify(argument)], {
    env: { ...process.env, NODE_ENV: 'production' },
    // Rejections are what the demo shows.
    execArgv: [...process.execArgv, '--disable-warning=HEADGATE_SHEDDING'],
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

/**
 * Resolves with the next message of a kind. Rejects if the child, or another process that it depends on, exits first.
 */
export function next<T>(child: ChildProcess, kind: string, ...others: ChildProcess[]): Promise<T> {
  const needed = [child, ...others];
  return new Promise((resolve, reject) => {
    const ignore = each<T>(child, kind, (value) => {
      settled();
      resolve(value);
    });
    function onExit(this: ChildProcess, code: number | null, signal: string | null) {
      settled();
      reject(new Error(`${nameOf(this)} exited (${signal ?? code}) before it was done`));
    }
    const settled = () => {
      ignore();
      for (const other of needed) other.off('exit', onExit);
    };
    for (const other of needed) other.on('exit', onExit);
  });
}

const nameOf = ({ spawnargs }: ChildProcess) => basename(spawnargs.at(-2) ?? '');

/** Calls `listen` for every message of a kind, until the returned function is called. */
export function each<T>(child: ChildProcess, kind: string, listen: (value: T) => void) {
  const onMessage = (message: unknown) => {
    const { kind: heard, value } = message as Message;
    if (heard === kind) listen(value as T);
  };
  child.on('message', onMessage);
  return () => child.off('message', onMessage);
}
