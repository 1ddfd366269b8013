import { createServer, type Listener, type Server } from '@headgate/server';
import { serverStore } from '@headgate/server-client';
import { startProxy } from '@headgate/test-servers';
import { storeSuite } from '@headgate/test-suite';
import { afterAll, expect, vi } from 'vitest';
import { otherServer, Service } from './service.ts';

let semaphores: Record<string, number> = {};
let server: Server = createServer({ semaphores });
let listener: Listener = await server.listen({ port: 0 });
const port = Number(new URL(listener.url).port);
const proxy = await startProxy({ port });
afterAll(async () => {
  await proxy.stop();
  await server.close();
});

const nothing = {
  ...{ fencing: false, queueLimit: false, setLimit: false, operate: false, keys: false },
  place: false,
};
const can = { ...nothing, resize: false, recall: false, counts: false };
// Servers accept URLs of a few thousand characters.
const longestName = 3_000;

storeSuite({
  name: 'headgate-server',
  can,
  longestName,
  declare: (limits) => {
    semaphores = Object.fromEntries(limits);
    server.configure(semaphores);
  },
  connect: (times) => serverStore({ url: `http://127.0.0.1:${proxy.port}`, ...times }),
  wipe: async () => {
    await server.close();
    // A release on a connection that has ended is repeated, and a repeated one is never answered `lost`.
    await vi.waitFor(() => expect(proxy.connections).toBe(0), { interval: 1, timeout: 5_000 });
    server = createServer({ semaphores });
    listener = await server.listen({ port });
  },
  hang: () => {
    proxy.hold(true);
    return () => proxy.hold(false);
  },
});

if (otherServer !== undefined) {
  const service = await Service.start({});
  afterAll(() => service.stop());

  storeSuite({
    name: otherServer,
    can,
    longestName,
    // Longer than the server takes to start.
    leaseDuration: 3_000,
    declare: (limits) => service.configure(Object.fromEntries(limits)),
    connect: (times) => serverStore({ url: service.url, ...times }),
    wipe: () => service.restart(),
    hang: () => {
      service.freeze();
      return () => service.thaw();
    },
  });
}
