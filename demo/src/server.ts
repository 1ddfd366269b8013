// The server's process: listens on a free port of this machine alone, and says what it did when asked.
import type { AddressInfo } from 'node:net';
import { createApp } from './app.ts';
import type { Protection } from './protection.ts';

const protection: Protection | undefined = JSON.parse(process.argv[2] ?? '{}').protection;
const { app, work } = await createApp(protection);

const server = app.listen(0, '127.0.0.1', () => {
  process.send?.({ kind: 'listening', value: (server.address() as AddressInfo).port });
});
// Longer than any client keeps a connection, as behind every load balancer: a server that closes
// first resets the request that is just on its way.
server.keepAliveTimeout = 75_000;

process.on('message', () => process.send?.({ kind: 'work', value: work }));
// Not exit(): that would first finish the hashes that libuv's threads are at.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
