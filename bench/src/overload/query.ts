import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('./query-process.js', import.meta.url));

/** Returns a function that queries another process, over sockets, and is answered after `time` milliseconds. */
export function queries(time: number): () => Promise<void> {
  const database = fork(program, [String(time)], { execArgv: [] });
  const port = once(database, 'message').then(([value]) => value as number);
  const unused: Socket[] = [];
  return async () => {
    const socket = unused.pop() ?? connect(await port, '127.0.0.1');
    socket.write('.');
    await once(socket, 'data');
    unused.push(socket);
  };
}
