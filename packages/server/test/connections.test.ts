import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { createCertificate } from '@headgate/test-servers';
import { describe, expect, it, type TestContext } from 'vitest';
import { type Timeouts, timeouts } from '../src/http/connections.ts';
import { listen } from '../src/http/listen.ts';
import type { ListenOptions } from '../src/http/listen-options.ts';
import { createServer } from '../src/index.ts';
import { Client } from './client.ts';

const certificate = await createCertificate();

/**
 * A server in real time, because Node's own connection timeouts do not follow an injected clock. `shorter` overrides
 * the default timeouts.
 */
async function listening(
  { onTestFinished }: TestContext,
  options: ListenOptions = {},
  shorter: Partial<Timeouts> = {},
) {
  const log: string[] = [];
  const levels = { warn: (line: string) => void log.push(line), error: () => {} };
  const server = createServer({ semaphores: { A: 1 }, log: levels });
  const bounds = { ...timeouts, ...shorter };
  const listener = await listen(server.app, { port: 0, ...options }, levels, bounds);
  const { url } = listener;
  const port = Number(new URL(url).port);
  const client = new Client({ port });
  onTestFinished(async () => {
    client.close();
    await Promise.all([server.close(), listener.close()]);
  });
  const open = async (sent = '') => {
    const connection = connect(port, '127.0.0.1').on('error', () => {});
    onTestFinished(() => void connection.destroy());
    await once(connection, 'connect');
    connection.write(sent);
    return connection;
  };
  return { client, log, open };
}

const said = (connection: Socket) => text(connection).catch(() => 'closed');
const health = 'GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

it('connections beyond maxConnections are closed and logged once, and the others are served', async (test) => {
  const { client, log, open } = await listening(test, { maxConnections: 3 });
  await client.newPeer();
  const first = await open();
  await open();
  expect(await said(await open(health))).not.toContain('200');
  await said(await open());
  expect(log).toEqual(['A connection was closed: there are 3 already.']);
  expect(await client.said('GET', '/health')).toBe('200 Ok');
  first.write(health);
  expect(await said(first)).toContain('200 OK');
  expect(await said(await open(health))).toContain('200 OK');
});

const head = 'PUT /peers/1/A HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';

it('listen() limits how long a client may take', async (test) => {
  const server = createServer({ semaphores: {} });
  test.onTestFinished(() => server.close());
  const port = Number(new URL((await server.listen({ port: 0 })).url).port);
  let bounded: Server | undefined;
  const look = (message: unknown) => {
    const { server: asked } = message as { server: Server };
    // Other servers of this process may receive requests, too.
    if ((asked.address() as AddressInfo | null)?.port === port) bounded = asked;
  };
  subscribe('http.server.request.start', look);
  const other = new Client({ port });
  test.onTestFinished(() => other.close());
  await other.said('GET', '/health');
  unsubscribe('http.server.request.start', look);
  const { unreadTimeout, handshakeTimeout, connectionsCheckingInterval, ...ofNode } = timeouts;
  expect(bounded).toMatchObject(ofNode);
});

it('a connection that pipelines requests again and again collects no listeners', async (test) => {
  const { open } = await listening(test);
  const connection = await open();
  const side = serverSide(connection);
  const counts: number[] = [];
  for (let round = 0; round < 4; round++) {
    connection.write('GET /version HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3));
    for (let answered = 0; answered < 3; ) {
      const [chunk] = await once(connection, 'data');
      answered += chunk.toString().split('HTTP/1.1 200 OK').length - 1;
    }
    counts.push((await side).listenerCount('close'));
  }
  expect(counts).toEqual(Array(4).fill(counts[0]));
});

describe.concurrent('the server closes the connection of a client that', () => {
  const ofRequests = {
    headersTimeout: 500,
    requestTimeout: 1_000,
    connectionsCheckingInterval: 250,
  };
  const unreadTimeout = 2_000;

  it.for([
    ['sends nothing', ''],
    ['does not end its headers', head],
    ['does not end its body', `${head}Content-Length: 5\r\n\r\n1`],
  ] as const)('%s', async ([, sent], test) => {
    const { client, open } = await listening(test, {}, ofRequests);
    expect(await said(await open(sent))).toMatch(/^HTTP\/1\.1 408 /);
    expect(await client.said('GET', '/health')).toBe('200 Ok');
  });

  it('sends its headers too slowly', async (test) => {
    const { client, open } = await listening(test, {}, ofRequests);
    const connection = await open('GET /health HTTP/1.1\r\n');
    const drip = setInterval(() => connection.write('X'), 25);
    test.onTestFinished(() => clearInterval(drip));
    expect(await said(connection)).toMatch(/^HTTP\/1\.1 408 /);
    expect(await client.said('GET', '/health')).toBe('200 Ok');
  });

  it('reads nothing of a long response, but not if it reads slowly', async (test) => {
    const { client, open } = await listening(test, {}, { unreadTimeout });
    await client.newPeers(2_000);
    const ask = 'GET /peers/ HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(500);
    const slow = (await open(`${ask}${health}`)).pause();
    const unread = await open();
    const closed = serverSide(unread).then((socket) => once(socket, 'close'));
    unread.write(ask);
    unread.pause();
    let read = '';
    const drip = setInterval(() => {
      read += slow.read(100_000)?.toString('latin1') ?? '';
    }, 50);
    await closed;
    clearInterval(drip);
    // By now the slow reader has been connected for as long as the closed one was.
    read += await text(slow);
    expect(read.split('HTTP/1.1 200 OK')).toHaveLength(502);
  });

  it('reads a long response too late, but not while another response is still blocked', async (test) => {
    const { client, open } = await listening(test, {}, { unreadTimeout });
    const [holder, peer] = await client.newPeers(2_000);
    await client.acquire(holder, 'A');
    const connection = (await open('GET /peers/ HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(300))).pause();
    const json = 'Content-Type: application/json\r\nContent-Length: 1';
    const path = `/peers/${peer}/A?block_for=5s`;
    connection.write(`PUT ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${json}\r\n\r\n`);
    let answers = 0;
    let last = '';
    const all = new Promise<void>((resolve) => {
      connection.on('data', (chunk) => {
        const parts = (last + chunk.toString('latin1')).split('HTTP/1.1 200 OK');
        answers += parts.length - 1;
        last = parts.at(-1) as string;
        if (last.endsWith(']') && answers === 300) resolve();
      });
    });
    // The client does not read for 200 ms.
    await sleep(200);
    connection.resume();
    await all;
    const closed = once(connection, 'close');
    connection.write('1');
    await closed;
    expect(answers).toBe(300);
    expect(last).toMatch(/HTTP\/1\.1 202 Accepted\r\n[^[]*$/);
  });

  it('sends nothing over TLS', async (test) => {
    const { open } = await listening(test, { tls: certificate }, { handshakeTimeout: 500 });
    await said(await open());
  });
});

/** The server's end of a connection made in this process. Known once its first request arrives. */
function serverSide(connection: Socket): Promise<Socket> {
  return new Promise((resolve) => {
    const look = (message: unknown) => {
      const { socket } = (message as { request: IncomingMessage }).request;
      if (socket.remotePort !== connection.localPort) return;
      unsubscribe('http.server.request.start', look);
      resolve(socket);
    };
    subscribe('http.server.request.start', look);
  });
}
