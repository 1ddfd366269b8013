import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Program } from '../program.ts';

/** An empty SETTINGS frame and a GOAWAY without an error, after which a client may keep its connection open. */
const goodbye = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]),
  Buffer.from([0, 0, 8, 7, 0, 0, 0, 0, 0, ...new Array(8).fill(0)]),
]);

export async function check(program: Program): Promise<void> {
  const port = Number(new URL(await program.url).port);
  const leaving = await idle(port);
  leaving.write(goodbye);
  await once(leaving.resume(), 'end'); // the server has ended the session
  const silent = await idle(port);

  const session = connectHttp2(await program.url);
  const get = async (path: string): Promise<string> => {
    const stream = session.request({ ':path': path });
    const [headers] = await once(stream, 'response');
    return `${headers[':status']} ${await text(stream)}`;
  };
  const reports = Array.from({ length: 12 }, () => get('/report'));
  await Promise.race(reports);
  program.child.kill('SIGTERM');
  while ((await get('/ready')) !== '503 ');
  program.child.kill('SIGTERM'); // supervisors may send it twice
  for (const report of await Promise.all(reports)) assert.match(report, /^200 A report/);
  assert.equal(await program.exited, 0, 'whatever its clients do');
  for (const socket of [leaving, silent]) socket.destroy();
}

/** A connection on which the client neither reads nor closes. */
async function idle(port: number): Promise<Socket> {
  const socket = connect({ port, allowHalfOpen: true });
  await once(socket, 'connect');
  return socket.on('error', () => {});
}
