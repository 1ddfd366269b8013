import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

const fields = ['SFATAL', 'VFATAL', 'C57P03', 'Mthe database system is starting up', '', ''];
const text = Buffer.from(fields.join('\0'));
const length = Buffer.alloc(4);
length.writeInt32BE(length.length + text.length);
const answer = Buffer.concat([Buffer.from('E'), length, text]);

/** Responds to every client like PostgreSQL while it starts. */
export async function startStartingServer() {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, stop: () => void server.close() };
}
