import { startRedis } from '@headgate/test-servers';
import { Redis } from 'ioredis';
import type { TestContext } from 'vitest';

/** Starts a server that only this test uses, and creates a client for it. Both end with the test. */
export async function ownServer({ onTestFinished }: TestContext, ...args: string[]) {
  const server = await startRedis({ args });
  const admin = new Redis(server.port, '127.0.0.1', { lazyConnect: true });
  onTestFinished(async () => {
    admin.disconnect();
    await server.stop();
  });
  return { server, admin };
}
