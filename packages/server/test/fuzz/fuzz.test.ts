import { connect, type Socket } from 'node:net';
import { systemClock } from '@headgate/core';
import { expect, it } from 'vitest';
import { scene } from '../scene.ts';
import { mutated, randomOf } from './mutate.ts';

/** `npm run fuzz -- http` sends more. */
const requests = Number(process.env.HEADGATE_FUZZ_REQUESTS ?? 10_000);
const seed = Number(process.env.HEADGATE_FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
const connections = 32;
/** Milliseconds to wait for an answer; after some mutations the server waits for more input. */
const answerTimeout = 500;
/** Completes truncated requests, so that few of them time out. */
const filler = Buffer.from(`\r\n\r\n${'x'.repeat(400)}\r\n\r\n`);

it(`survives ${requests} mutated requests (seed ${seed})`, { timeout: 600_000 }, async () => {
  const semaphores = { A: 5, B: { max: 1, level: 1 }, mine: 9 };
  const bounds = { maxPeers: 200, maxBlocked: 50, clock: systemClock };
  const { client, log, port } = await scene(semaphores, bounds);
  const peer = await client.newPeer('1h');
  await client.acquire(peer, 'mine', 4);
  const random = randomOf(seed);
  let left = requests;
  let answered = 0;
  const attack = async () => {
    let socket: Socket | undefined;
    while (left-- > 0) {
      socket = socket?.writable ? socket : open(port);
      if (await send(socket, mutated(random))) answered += 1;
      else socket.destroy();
    }
    socket?.destroy();
  };
  await Promise.all(Array.from({ length: connections }, attack));
  expect(answered).toBeGreaterThan(requests / 2);
  expect(log.filter((line) => line.startsWith('error'))).toEqual([]);
  // The server is up, respects its bounds, and has not changed another peer's locks.
  expect(await client.said('GET', '/health')).toBe('200 Ok');
  const peers = JSON.parse((await client.ask('GET', '/peers/')).text) as unknown[];
  expect(peers.length).toBeLessThanOrEqual(bounds.maxPeers);
  expect(await client.said('GET', `/peers/${peer}/is_acquired`)).toBe('200 true');
  expect(await client.acquire(peer, 'mine', 4)).toBe(`200 ${peer}`);
  expect(await client.remainder('mine')).toBe('200 5');
});

function open(port: number): Socket {
  return connect({ port, host: '127.0.0.1', noDelay: true }).on('error', () => {});
}

/** Whether the request was answered, even if the connection was closed afterwards. */
function send(socket: Socket, bytes: Buffer): Promise<boolean> {
  return new Promise((resolve) => {
    let received = '';
    const done = (isAnswered: boolean) => {
      clearTimeout(timer);
      socket.off('data', read).off('close', end);
      resolve(isAnswered);
    };
    const read = (chunk: Buffer) => {
      received += chunk.toString('latin1');
      if (isWhole(received)) done(true);
    };
    const end = () => done(received.startsWith('HTTP/1.1 '));
    const timer = setTimeout(() => done(false), answerTimeout);
    socket.on('data', read).on('close', end);
    socket.write(isWhole(bytes.toString('latin1')) ? bytes : Buffer.concat([bytes, filler]));
  });
}

/** Whether the text is a complete request or answer, judged by its Content-Length alone. */
function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n');
  const [, length] = /^content-length: (\d+)/im.exec(text.slice(0, end + 2)) ?? [];
  return end >= 0 && (length === undefined || text.length >= end + 4 + Number(length));
}
