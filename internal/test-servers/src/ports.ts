import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Offset of the port that a cluster node uses for messages of the cluster. */
const BUS_OFFSET = 10_000;

/**
 * Returns a port that is free, together with its cluster port. It is below the range for outgoing connections: a client
 * that keeps trying to reach a stopped server could otherwise connect to itself by chance.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_240, 22_000);
    if ((await isFree(port)) && (await isFree(port + BUS_OFFSET))) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
