import { startRedis } from '@headgate/test-servers';
import { Redis } from 'ioredis';
import { afterAll, type TestContext } from 'vitest';

/** Starts a server, and a client that connects to it when it is first used. */
async function start(args: readonly string[]) {
  const server = await startRedis({ args });
  const admin = new Redis(server.port, '127.0.0.1', {
    lazyConnect: true,
    retryStrategy: () => 20,
  });
  // A test may kill the server.
  admin.on('error', () => {});
  const stop = async () => {
    admin.disconnect();
    await server.stop();
  };
  return { server, admin, stop };
}

/** Starts a server for the tests of one file. */
export async function useServer() {
  const { stop, ...started } = await start([]);
  afterAll(stop);
  return started;
}

/** Starts a server that only this test uses. */
export async function ownServer({ onTestFinished }: TestContext, ...args: string[]) {
  const { stop, ...started } = await start(args);
  onTestFinished(stop);
  return started;
}
