import { once } from 'node:events';
import { connect, constants } from 'node:http2';
import { expect, it } from 'vitest';
import { read } from './pages.ts';
import { programOf, run, start } from './programs.ts';

/** Defines what the page's program calls. A snapshot ends only once its client has left. */
const beforeEvents = `
import express from 'express';
const state = { snapshots: 0, closed: 0, subscribed: 0, subscribers: 0 };
let open;
const hasLeft = new Promise((resolve) => { open = resolve; });
globalThis.app = express();
app.get('/state', (_req, res) => res.json(state));
app.get('/open', (_req, res) => res.json(open() ?? null));
app.use('/events', (_req, res, next) => {
  res.on('close', () => state.closed++);
  next();
});
globalThis.snapshot = async () => {
  state.snapshots++;
  await hasLeft;
  return 'now';
};
globalThis.subscribe = () => {
  state.subscribed++;
  state.subscribers++;
  return () => state.subscribers--;
};
`;

const json = async (url: string) => (await fetch(url)).json();

it('the example of an event stream keeps no subscription of a client that left before it subscribed', async () => {
  const program = programOf('docs/streams-and-disconnects.md');
  const url = await start(`${beforeEvents}${program}app.listen(0);`);
  const client = new AbortController();
  const stream = fetch(`${url}/events`, { signal: client.signal }).catch(() => {});
  await expect.poll(() => json(`${url}/state`)).toMatchObject({ snapshots: 1 });
  client.abort();
  await stream;
  await expect.poll(() => json(`${url}/state`)).toMatchObject({ closed: 1 });
  await json(`${url}/open`);
  await expect.poll(() => json(`${url}/state`)).toMatchObject({ subscribed: 1, subscribers: 0 });
});

const hang = `app.get('/', () => new Promise(() => process.send('hangs')));`;

it('SIGTERM ends a server of Fastify although a handler hangs', { timeout: 30_000 }, async () => {
  const program = programOf('docs/tabs/shut-down.md', { heading: '### Fastify' })
    .replace('timeout: 10_000', 'timeout: 100')
    .replace('await app.listen', `${hang}\nawait app.listen`)
    .replace('port: 3000', 'port: 0');
  const child = run(`${program}process.send(app.server.address().port);`, 'inherit');
  const [port] = await once(child, 'message');
  const hanging = fetch(`http://localhost:${port}/`).catch(() => 'closed');
  await once(child, 'message');
  child.kill('SIGTERM');
  expect(await hanging).toBe('closed');
});

it('a timeout of an HTTP/2 stream resets it although its client reads nothing', async () => {
  const [, setTimeoutOfStream = ''] =
    /`(res\.setTimeout\(.*?\))`/.exec(read('docs/uploads-and-slow-clients.md')) ?? [];
  const program = `
import { createServer } from 'node:http2';
import { concurrencyLimit } from '@headgate/node';
const limit = concurrencyLimit({ limit: 1 });
const server = createServer(limit((_req, res) => {
  ${setTimeoutOfStream.replace('30_000', '100')};
  res.write('x'.repeat(10_000_000));
}));
server.listen(0, () => process.send(server.address().port));
`;
  const [port] = await once(run(program, 'inherit'), 'message');
  const session = connect(`http://localhost:${port}`);
  const stream = session.request({ ':path': '/' });
  await once(stream, 'close');
  expect(stream.rstCode).toBe(constants.NGHTTP2_CANCEL);
  session.close();
});
