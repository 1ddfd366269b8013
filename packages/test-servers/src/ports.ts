import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** What a node of a cluster adds to its port for its own conversations. */
const bus = 10_000;

/**
 * A port that nothing listens on, nor on the one that a cluster takes with it. It is below those that systems give to
 * outgoing connections: a client that tries again and again to reach a server that is down would at some time be
 * connected to itself.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_240, 22_000);
    if ((await isFree(port)) && (await isFree(port + bus))) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
