// The server's process: listens on a free port of this machine only, and reports its work on request.
import type { AddressInfo } from 'node:net';
import { createApp } from './app.ts';
import type { Protection } from './protection.ts';

const protection: Protection | undefined = JSON.parse(process.argv[2] ?? '{}').protection;
const { app, work } = await createApp(protection);

const server = app.listen(0, '127.0.0.1', () => {
  process.send?.({ kind: 'listening', value: (server.address() as AddressInfo).port });
});
// Longer than any client keeps a connection, as behind a load balancer: a server that closes first resets requests that
// are on their way.
server.keepAliveTimeout = 75_000;

process.on('message', () => process.send?.({ kind: 'work', value: work }));
// Not exit(), which would first finish the hashes that libuv's threads are computing.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
