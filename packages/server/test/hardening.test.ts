import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { request } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { HeadgateError, systemClock } from '@headgate/core';
import { createCertificate } from '@headgate/test-servers';
import { Hono } from 'hono';
import { expect, it, onTestFinished } from 'vitest';
import { createServer } from '../src/index.ts';
import { scene } from './scene.ts';

const certificate = await createCertificate();

const json = 'application/json';

it('a body above 64 KiB is answered 413, whether its length is declared or not', async () => {
  const { client } = await scene({ A: 1 });
  const fits = `{"expires_in":"1m","x":"${'x'.repeat(65_000)}"}`;
  const body = `{"expires_in":"1m","x":"${'x'.repeat(66_000)}"}`;
  const chunked = { headers: { 'Content-Type': json, 'Transfer-Encoding': 'chunked' } };
  expect((await client.ask('POST', '/new_peer', fits)).status).toBe(200);
  expect((await client.ask('POST', '/new_peer', fits, chunked)).status).toBe(200);
  expect((await client.ask('POST', '/new_peer', body)).status).toBe(413);
  expect((await client.ask('POST', '/new_peer', body, chunked)).status).toBe(413);
  expect(await client.said('GET', '/health')).toBe('200 Ok');
});

it('a body without any declared length, as over HTTP/2, is answered 413 above 64 KiB', async () => {
  const { app } = createServer({ semaphores: { A: 1 } });
  const ask = async (length: number) => {
    const text = `{"expires_in":"1m","x":"${'x'.repeat(length)}"}`;
    const body = new Blob([text]).stream();
    const init = { method: 'POST', headers: { 'Content-Type': json }, body, duplex: 'half' };
    return (await app.request('/new_peer', init as RequestInit)).status;
  };
  expect([await ask(65_000), await ask(66_000)]).toEqual([200, 413]);
});

it('a long URL is answered 414, and long headers 431', async () => {
  const { client } = await scene({ A: 1 });
  expect((await client.ask('GET', `/remainder?semaphore=${'x'.repeat(4_100)}`)).status).toBe(414);
  const headers = { 'X-Long': 'x'.repeat(20_000) };
  expect((await client.ask('GET', '/health', undefined, { headers })).status).toBe(431);
  expect(await client.said('GET', '/health')).toBe('200 Ok');
});

it('peers beyond maxPeers are answered 503 with Retry-After', async () => {
  const { client } = await scene({ A: 1 }, { maxPeers: 1 });
  const peer = await client.newPeer();
  const refused = await client.ask('POST', '/new_peer', '{"expires_in":"1m"}');
  expect(refused).toMatchObject({ status: 503, text: 'Too many peers.' });
  expect(refused.headers['retry-after']).toBe('1');
  await client.said('DELETE', `/peers/${peer}`);
  expect(await client.newPeer()).toMatch(/^\d+$/);
});

it('blocked requests beyond maxBlocked are answered 503, and their locks stay pending', async () => {
  const { client } = await scene({ A: 1 }, { maxBlocked: 0 });
  const [holder, peer] = await client.newPeers(2);
  await client.acquire(holder, 'A');
  const refused = await client.ask('PUT', `/peers/${peer}/A?block_for=1h`, '1');
  expect(refused).toMatchObject({ status: 503, text: 'Too many blocked requests.' });
  expect(refused.headers['retry-after']).toBe('1');
  expect(await client.acquire(peer, 'A')).toBe(`202 ${peer}`);
  await client.said('DELETE', `/peers/${holder}`);
  expect(await client.acquire(peer, 'A', 1, '?block_for=1h')).toBe(`200 ${peer}`);
});

it('a token is required for everything except health checks', async () => {
  const { client } = await scene({ A: 1 }, { token: 'open-sesame' });
  const as = async (value: string, path = '/remainder?semaphore=A') =>
    (await client.ask('GET', path, undefined, { headers: { Authorization: value } })).status;
  expect(await client.said('GET', '/health')).toBe('200 Ok');
  expect((await client.ask('GET', '/remainder?semaphore=A')).status).toBe(401);
  expect((await client.ask('GET', '/metrics')).status).toBe(401);
  expect((await client.ask('GET', '/nothing')).status).toBe(401);
  expect(await as('Bearer open-sesame')).toBe(200);
  expect(await as('bearer open-sesame')).toBe(200);
  expect(await as('Bearer open-sesam')).toBe(401);
  expect(await as('Bearer open-sesamee')).toBe(401);
  expect(await as('Basic open-sesame')).toBe(400);
  expect(await as('Bearer open-sesam', '/health')).toBe(200);
});

it('listen() serves HTTPS', async () => {
  const server = createServer({ semaphores: { A: 7 } });
  onTestFinished(() => server.close());
  const { url } = await server.listen({ port: 0, tls: certificate });
  expect(url).toMatch(/^https:\/\/127\.0\.0\.1:/);
  const sent = request(`${url}/remainder?semaphore=A`, { ca: certificate.cert, agent: false });
  sent.end();
  const [response] = await once(sent, 'response');
  expect(await text(response)).toBe('7');
  // Plain HTTP on the TLS port does no harm.
  const plain = connect(Number(new URL(url).port), '127.0.0.1');
  plain.on('error', () => {}).end('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(plain, 'close');
  const again = request(`${url}/health`, { ca: certificate.cert, agent: false }).end();
  expect(await text((await once(again, 'response'))[0])).toBe('Ok');
  // A silent connection does not block others.
  const silent = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {});
  await once(silent, 'connect');
  const closed = once(silent.resume(), 'close');
  await server.close();
  await closed;
});

it('close() closes a listener that is still starting, and listen() rejects afterwards', async () => {
  const server = createServer({ semaphores: {} });
  const listening = server.listen({ port: 0 });
  await server.close();
  const { url } = await listening;
  const port = Number(new URL(url).port);
  await expect(once(connect(port, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED');
  await expect(server.listen({ port: 0 })).rejects.toMatchObject({ code: 'ERR_HEADGATE_CLOSED' });
});

it.each([
  ['0.0.0.0', undefined, 1],
  ['0.0.0.0', 'sesame', 0],
  ['127.0.0.2', undefined, 0],
  ['localhost', undefined, 0],
])('listening on %s with the token %s logs %i warnings', async (address, token, warnings) => {
  const { server, log } = await scene({ A: 1 }, { token });
  const { url } = await server.listen({ address, port: 0 });
  expect(log).toHaveLength(warnings);
  if (warnings > 0) expect(log[0]).toContain(`warn ${url} is not on loopback, and no token is set`);
});

it('a unix socket needs no token, and causes no warning', async () => {
  const { server, log } = await scene({ A: 1 });
  const folder = mkdtempSync(join(tmpdir(), 'headgate-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await server.listen({ socket: join(folder, 'service.sock') });
  expect(log).toEqual([]);
});

it('the service listens only on loopback by default', async () => {
  const server = createServer({ semaphores: {} });
  onTestFinished(() => server.close());
  expect((await server.listen({ port: 0 })).url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect((await server.listen({ port: 0, address: '0.0.0.0' })).url).toMatch(
    /^http:\/\/0\.0\.0\.0:/,
  );
});

it.each([
  [{ address: '' }, 'address'],
  [{ socket: '' }, 'socket'],
  [{ socket: `/tmp/${'x'.repeat(103)}` }, 'socket'],
])(
  'listen(%j) is refused, because it would be open to all or unreachable',
  async (options, option) => {
    const server = createServer({ semaphores: {} });
    onTestFinished(() => server.close());
    await expect(server.listen({ port: 0, ...options })).rejects.toMatchObject({ option });
  },
);

it.each([
  [{ socket: '/tmp/s', port: 80 }, 'port', 'omitted with a socket, got 80'],
  [{ socket: '/tmp/s', address: '::1' }, 'address', 'omitted with a socket, got "::1"'],
  [{ port: 65_536 }, 'port', 'a whole number from 0 to 65535, got 65536'],
  [{ port: '80' }, 'port', 'a whole number from 0 to 65535, got "80"'],
  [{ tls: {} }, 'tls.cert', 'PEM, as a string or a Buffer'],
  [{ tls: { cert: 'secret', key: '' } }, 'tls.key', 'PEM, as a string or a Buffer'],
  [{ tls: { cert: 'a', key: 'b', pfx: 'c' } }, 'pfx', 'it knows cert, key'],
  [{ tls: 'secret' }, 'tls', 'an object'],
])('listen(%j) is refused with an error that names the option', async (options, option, text) => {
  const server = createServer({ semaphores: {} });
  onTestFinished(() => server.close());
  const error = await server.listen(options as never).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(HeadgateError);
  expect(error).toMatchObject({ option, message: expect.stringContaining(text) });
  expect(error.code).toMatch(/^ERR_HEADGATE_(UNKNOWN_)?OPTION$/);
  expect(error.message).not.toContain('secret');
});

it('a health check in HTTP/1.0 works without a Host header', async () => {
  const { port } = await scene({ A: 1 });
  const connection = connect(port, '127.0.0.1');
  connection.end('GET /health HTTP/1.0\r\n\r\n');
  expect(await text(connection)).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\nOk$/);
});

it('only the first of several pipelined requests is blocked', async () => {
  const { client, port } = await scene({ A: 1 }, { maxBlocked: 2 });
  const peers = await Promise.all(Array.from({ length: 3 }, () => client.newPeer()));
  const [holder, first, last] = peers as [string, string, string];
  await client.acquire(holder, 'A');
  const head = `PUT /peers/${first}/A?block_for=1y HTTP/1.1\r\nHost: x\r\nContent-Type: ${json}\r\n`;
  const connection = connect(port, '127.0.0.1').on('error', () => {});
  onTestFinished(() => void connection.destroy());
  connection.write(`${head}Content-Length: 1\r\n\r\n1`.repeat(5));
  await client.untilPending(first);
  // After a second answer the server has received the pipelined requests, too.
  await client.untilPending(first);
  const blocked = client.acquire(last, 'A', 1, '?block_for=1y');
  await client.untilPending(last);
  await client.said('DELETE', `/peers/${holder}`);
  await client.said('DELETE', `/peers/${first}`);
  expect(await blocked).toBe(`200 ${last}`);
});

it('a connection that cannot be accepted does not stop the server', async () => {
  const { client, log, port } = await scene({ A: 1 });
  const servers = new Set<Server>();
  const look = (message: unknown) => {
    const { server } = message as { server: Server };
    // Other servers of this process may receive requests, too.
    if ((server.address() as AddressInfo | null)?.port === port) servers.add(server);
  };
  subscribe('http.server.request.start', look);
  await client.said('GET', '/health');
  unsubscribe('http.server.request.start', look);
  expect(servers.size).toBe(1);
  // Node emits this when no file descriptor is left.
  for (const server of servers) server.emit('error', new Error('accept EMFILE'));
  expect(await client.said('GET', '/health')).toBe('200 Ok');
  expect(log).toEqual(['error A connection was not accepted: accept EMFILE']);
});

it('a request to block during close() is answered immediately', async () => {
  const { client, port, server } = await scene({ A: 1 });
  const [holder, peer] = [await client.newPeer(), await client.newPeer()];
  await client.acquire(holder, 'A');
  const connection = connect(port, '127.0.0.1');
  const head = `PUT /peers/${peer}/A?block_for=1h HTTP/1.1\r\nHost: x\r\nContent-Type: ${json}\r\n`;
  connection.write(`${head}Content-Length: 1\r\nExpect: 100-continue\r\n\r\n`);
  // The server has started to read the request.
  await once(connection, 'data');
  const closed = server.close();
  connection.write('1');
  expect(await text(connection)).toMatch(/^HTTP\/1\.1 202 /);
  await closed;
});

it('the service works when mounted in another app', async () => {
  const server = createServer({ semaphores: { A: 3 }, clock: systemClock });
  const app = new Hono().get('/', (c) => c.text('mine')).mount('/semaphores', server.app.fetch);
  const ask = async (path: string, method = 'GET', body?: string) => {
    const init = body === undefined ? {} : { body, headers: { 'Content-Type': json } };
    const response = await app.request(path, { method, ...init });
    return `${response.status} ${await response.text()}`;
  };
  expect(await ask('/')).toBe('200 mine');
  const [, peer] = (await ask('/semaphores/new_peer', 'POST', '{"expires_in":"1m"}')).split(' ');
  expect(await ask(`/semaphores/peers/${peer}/A`, 'PUT', '2')).toBe(`200 ${peer}`);
  expect(await ask('/semaphores/remainder?semaphore=A')).toBe('200 1');
  expect(await ask('/semaphores/nothing')).toMatch(/^404/);
  expect(await ask('/semaphores/new_peer')).toMatch(/^405/);
});

it.each([
  [{ semaphores: { A: -1 } }, 'semaphores.A'],
  [{ semaphores: { A: 1.5 } }, 'semaphores.A'],
  [{ semaphores: { A: { max: 2 ** 53 } } }, 'semaphores.A.max'],
  [{ semaphores: { A: { max: 1, level: 2 ** 31 } } }, 'semaphores.A.level'],
  [{ semaphores: { A: { max: 1, levle: 1 } } }, 'levle'],
  [{ semaphores: null }, 'semaphores'],
  [{ semaphores: { '': 1 } }, 'a name in semaphores'],
  [{ semaphores: { '.': 1 } }, 'a name in semaphores'],
  [{ semaphores: { '..': { max: 1 } } }, 'a name in semaphores'],
  [{ semaphores: {}, maxPeers: 0 }, 'maxPeers'],
  [{ semaphores: {}, maxBlocked: -1 }, 'maxBlocked'],
  [{ semaphores: {}, token: 'two words' }, 'token'],
  [{ semaphores: {}, log: {} }, 'log'],
  [{ semaphores: {}, log: { warn() {} } }, 'log'],
  [{ semaphores: {}, clock: { now: () => 0 } }, 'clock'],
  [{ semaphores: {}, port: 80 }, 'port'],
])('createServer(%j) is refused', (options, option) => {
  let error: unknown;
  try {
    createServer(options as never);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(HeadgateError);
  if (option !== undefined) expect((error as HeadgateError).option).toBe(option);
});
