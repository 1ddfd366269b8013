import { createServer, type Listener, type Server } from '@headgate/server';
import { startProxy } from '@headgate/test-servers';
import { storeSuite } from '@headgate/test-suite';
import { throttleStore } from '@headgate/throttle';
import { afterAll } from 'vitest';

let semaphores: Record<string, number> = {};
let server: Server = createServer({ semaphores });
let listener: Listener = await server.listen({ port: 0 });
const port = Number(new URL(listener.url).port);
const proxy = await startProxy({ port });
afterAll(async () => {
  await proxy.stop();
  await server.close();
});

const nothing = { fencing: false, queueLimit: false, setLimit: false, keys: false, place: false };

storeSuite({
  name: 'headgate-server',
  can: { ...nothing, resize: false, recall: false, counts: false },
  longestName: 3_000,
  declare: (limits) => {
    semaphores = Object.fromEntries(limits);
    server.configure(semaphores);
  },
  connect: (times) => throttleStore({ url: `http://127.0.0.1:${proxy.port}`, ...times }),
  wipe: async () => {
    await server.close();
    server = createServer({ semaphores });
    listener = await server.listen({ port });
  },
  hang: () => {
    proxy.hold(true);
    return () => proxy.hold(false);
  },
});
