import { systemClock } from '@headgate/core';
import { createServer, type Server } from '@headgate/server';
import { serverStore } from '@headgate/server-client';
import { startProxy } from '@headgate/test-servers';
import { storeSuite } from '@headgate/test-suite';
import { afterAll, expect, vi } from 'vitest';

/** Milliseconds by which the service's clock was set back. */
let behind = 0;
const clock = { ...systemClock, now: () => systemClock.now() - behind };
let server: Server = createServer({ semaphores: {}, clock });
const port = Number(new URL((await server.listen({ port: 0 })).url).port);
const proxy = await startProxy({ port });
afterAll(async () => {
  await proxy.stop();
  await server.close();
});

storeSuite({
  name: 'headgate-server',
  longestName: 4_000,
  connect: (times) => serverStore({ url: `http://127.0.0.1:${proxy.port}`, ...times }),
  setBack: (milliseconds) => {
    behind += milliseconds;
  },
  wipe: async () => {
    await server.close();
    // A release on a connection that has ended is repeated, and a repeated one is never answered `lost`.
    await vi.waitFor(() => expect(proxy.connections).toBe(0), { interval: 1, timeout: 5_000 });
    server = createServer({ semaphores: {}, clock });
    await server.listen({ port });
  },
  hang: () => {
    proxy.hold(true);
    return () => proxy.hold(false);
  },
  refuse: () => proxy.away(),
});
