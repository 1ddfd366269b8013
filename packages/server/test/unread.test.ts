import { once } from 'node:events';
import { connect } from 'node:net';
import { collectGarbage } from '@headgate/test-kit/collect-garbage';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createServer } from '../src/index.ts';
import { Client } from './client.ts';

vi.setConfig({ testTimeout: 60_000 });

const json = { 'Content-Type': 'application/json' };

async function listening(peers = 0) {
  const server = createServer({ semaphores: { A: 1 } });
  const { url } = await server.listen({ port: 0 });
  const port = Number(new URL(url).port);
  const client = new Client({ port });
  onTestFinished(async () => {
    client.close();
    await server.close();
  });
  for (let made = 0; made < peers; made++) {
    const body = '{"expires_in":"1h"}';
    await server.app.request('/new_peer', { method: 'POST', headers: json, body });
  }
  // Counted by hand, because a spy would keep every request in memory.
  const handled = new Map<string, number>();
  const { fetch } = server.app;
  server.app.fetch = (request, ...rest) => {
    const { pathname } = new URL(request.url);
    handled.set(pathname, (handled.get(pathname) ?? 0) + 1);
    return fetch(request, ...rest);
  };
  /** Sends everything at once and reads no answer. */
  const send = async (text: string) => {
    const connection = connect(port, '127.0.0.1').on('error', () => {});
    onTestFinished(() => void connection.destroy());
    await once(connection, 'connect');
    connection.pause();
    connection.write(text);
    return connection;
  };
  /** The longest response time of 20 requests on another connection, in milliseconds. */
  const health = async () => {
    let longest = 0;
    for (let i = 0; i < 20; i++) {
      const began = performance.now();
      expect(await client.said('GET', '/health')).toBe('200 Ok');
      longest = Math.max(longest, performance.now() - began);
    }
    return longest;
  };
  const count = (path: string) => handled.get(path) ?? 0;
  return { client, send, health, count };
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

/** Memory of this process in bytes. */
function memory(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

it('a client that pipelines requests for long answers and reads none keeps one answer in memory', async () => {
  const { send, health, count } = await listening(20_000);
  const before = memory();
  await send(get('/peers/').repeat(1_000));
  expect(await health()).toBeLessThan(3_000);
  // The system's buffers take some megabytes, at 560 kB per answer.
  expect(count('/peers/')).toBeLessThan(100);
  expect(memory() - before).toBeLessThan(20_000_000);
});

it('each of many clients that pipeline requests for the page keeps one answer in memory', async () => {
  const { send, health } = await listening();
  const before = memory();
  await Promise.all(Array.from({ length: 50 }, () => send(get('/ui').repeat(1_000))));
  await health();
  expect(memory() - before).toBeLessThan(45_000_000);
});

it('with many clients that read no long answers, only a few answers are in memory and further requests get 503', async () => {
  const { client, send, health, count } = await listening(20_000);
  const before = memory();
  await Promise.all(Array.from({ length: 30 }, () => send(get('/peers/').repeat(20))));
  expect(await health()).toBeLessThan(3_000);
  expect(memory() - before).toBeLessThan(20_000_000);
  expect(count('/peers/')).toBeLessThan(400);
  const paths = ['/peers/', '/metrics', '/ui/state'];
  for (const answer of await Promise.all(paths.map((path) => client.ask('GET', path)))) {
    expect(answer).toMatchObject({ status: 503, text: 'Too many long answers are not read yet.' });
    expect(answer.headers['retry-after']).toBe('1');
  }
});

it('a connection that sends more than a thousand requests ahead of their answers is closed', async () => {
  const { client, send, count } = await listening();
  const [holder, peer] = await client.newPeers(2);
  await client.acquire(holder, 'A');
  const head = `PUT /peers/${peer}/A?block_for=1h HTTP/1.1\r\nHost: x\r\n`;
  const blocked = `${head}Content-Type: application/json\r\nContent-Length: 1\r\n\r\n1`;
  const patient = await send(blocked + get('/version').repeat(900));
  const greedy = await send(blocked + get('/version').repeat(1_100));
  await once(greedy.resume(), 'close');
  expect(count('/version')).toBe(0);
  let answered = '';
  patient.resume().on('data', (chunk) => {
    answered += chunk;
  });
  await client.said('DELETE', `/peers/${holder}`);
  await vi.waitFor(() => expect(answered.split('HTTP/1.1 200 OK').length).toBe(902), 10_000);
});
