import { type AddressInfo, createServer } from 'node:net';

// A database that answers each byte with a byte, after a time in milliseconds.
const time = Number(process.argv[2]);

const server = createServer((socket) => {
  socket.on('data', () => setTimeout(() => socket.write('.'), time));
  // The process that queries it has been killed.
  socket.on('error', () => {});
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit());
