// The server's process: listens on a free local port, and reports its work on request.
import type { AddressInfo } from 'node:net';
import { createApp } from './app.ts';

const { isGuarded = false } = JSON.parse(process.argv[2] ?? '{}');
const { app, work } = createApp(isGuarded);

const server = app.listen(0, '127.0.0.1', () => {
  process.send?.({ kind: 'listening', value: (server.address() as AddressInfo).port });
});
// Longer than any client keeps a connection, as behind a load balancer: a server that closes first resets the request
// in flight.
server.keepAliveTimeout = 75_000;

process.on('message', () => process.send?.({ kind: 'work', value: work }));
process.on('disconnect', () => process.exit());
