import { createServer } from 'node:http';
import type { ConcurrencyLimit } from '@headgate/node';
import { counts, Latch, RawSocket, until, VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import type { Message } from '../../src/message.ts';
import { limited, listening } from './limited-server.ts';
import { StartedApp } from './started-app.ts';

/** Longer than the permit of a handler is held that shows nothing. */
const LONG_MS = 100_000;

/** Sends a request, and disconnects once it has a permit. */
async function leaver(limit: ConcurrencyLimit<Message>, port: number): Promise<void> {
  const client = new RawSocket(port);
  client.request('GET /leaver');
  await counts(limit, 1);
  await client.destroy();
}

it('a permit is held until the promise of the listener has settled, although the client has left', async () => {
  const clock = new VirtualClock();
  const limit = limited({ limit: 1, clock });
  const [left, work] = [new Latch(), new Latch()];
  const port = await listening(
    createServer(async (_req, res) => {
      res.on('close', left.open);
      await work.opened;
    }),
  );
  await leaver(limit, port);
  await left.opened;
  clock.advance(LONG_MS);
  expect(limit.holders).toBe(1);
  work.open();
  await counts(limit, 0);
});

it('a permit is held until the promises of all listeners have settled if any of them may be the app', async () => {
  const clock = new VirtualClock();
  const limit = limited({ limit: 1, clock });
  const [left, fast, slow] = [new Latch(), new Latch(), new Latch()];
  const server = createServer().on('request', async (_req, res) => {
    res.on('close', left.open);
    await fast.opened;
  });
  let isFirstDone = false;
  server.on('request', () => void fast.opened.then(() => (isFirstDone = true)));
  server.on('request', () => slow.opened);
  const port = await listening(server);
  await leaver(limit, port);
  await left.opened;
  fast.open();
  await until(() => isFirstDone);
  clock.advance(LONG_MS);
  expect(limit.holders).toBe(1);
  slow.open();
  await counts(limit, 0);
});

it('a permit is not held for the promise of a listener that only observes', async () => {
  const limit = limited({ limit: 1 });
  const never = new Promise(() => {});
  const port = await listening(
    createServer(async (_req, res) => void res.end('served')).on('request', () => never),
  );
  const client = new RawSocket(port);
  client.request('GET /');
  await client.receives(/served/);
  await counts(limit, 0);
});

/** An app whose listener fails if a request asks for it, and which prints the events of the process. */
const failing = (before: string, listener: string) => `
  import { EventEmitter } from 'node:events';
  import { createServer } from 'node:http';
  ${before}
  let holder;
  for (const event of ['uncaughtException', 'unhandledRejection'])
    process.on(event, (error, origin) => {
      console.log(event + ': ' + error.message);
      holder?.end();
    });
  createServer(${listener})
    .listen(0, '127.0.0.1', function () { console.log(this.address().port); });
`;

it.each([
  ['throws', `(_req, res) => { holder = res; throw new Error('a bug'); }`, 'uncaughtException'],
  [
    'rejects',
    `async (_req, res) => { holder = res; throw new Error('a bug'); }`,
    'unhandledRejection',
  ],
])(
  'a listener that %s is reported to the process as without the hook',
  async (_, listener, event) => {
    for (const HEADGATE of ['{ "limit": 1 }', 'off']) {
      const started = new StartedApp({ app: failing('', listener), HEADGATE });
      const response = fetch(await started.url());
      expect(await started.line()).toBe(`${event}: a bug`);
      expect((await response).status).toBe(200);
    }
  },
);

it('a queued request whose listener throws is an uncaught exception too', async () => {
  const before = `
    import { channel } from 'node:diagnostics_channel';
    channel('http.server.request.start').subscribe(({ request }) => {
      if (request.url === '/queued') setImmediate(() => holder.end());
    });
  `;
  const listener = `(req, res) => {
    const isHeld = holder !== undefined;
    holder = res;
    if (isHeld) throw new Error('a bug');
    console.log('held');
  }`;
  const started = new StartedApp({ app: failing(before, listener), HEADGATE: '{ "limit": 1 }' });
  const held = fetch(await started.url());
  expect(await started.line()).toBe('held');
  const queued = fetch(await started.url('/queued'));
  expect(await started.line()).toBe('uncaughtException: a bug');
  for (const response of [held, queued]) expect((await response).status).toBe(200);
});

it('the server responds to a listener that rejects if it captures rejections', async () => {
  const before = 'EventEmitter.captureRejections = true;';
  const listener = `async () => { throw new Error('a bug'); }`;
  for (const HEADGATE of ['{ "limit": 1, "queueLimit": 0 }', 'off']) {
    const started = new StartedApp({ app: failing(before, listener), HEADGATE });
    for (let times = 0; times < 2; times++)
      expect((await fetch(await started.url())).status).toBe(500);
  }
});
