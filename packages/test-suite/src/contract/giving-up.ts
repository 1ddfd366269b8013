import { once } from 'node:events';
import http2 from 'node:http2';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Step, SuiteContext, SuiteHandler } from '../framework.ts';
import { collectWarnings } from '../kit/output.ts';
import { seededRandom } from '../kit/random.ts';
import { aRound, counts, until } from '../kit/until.ts';
import type { Running, World } from '../kit/world.ts';

const LIMIT = 5;
/** Milliseconds that each request takes. */
const WORK_MS = 20;
/** Milliseconds between two requests, so that they use two fifths of the limit. */
const INTERVAL_MS = WORK_MS / (0.4 * LIMIT);
const REQUESTS = 120;

/** After a disconnect, one handler continues to work, one stops, one streams, and one reads an upload. */
const steps: readonly Step[] = [
  { path: '/works-on', handle: worksOn },
  { path: '/stops', handle: stops },
  { path: '/streams', handle: (context) => context.stream(Readable.from(chunks())) },
  { path: '/reads', method: 'POST', handle: reads },
];

async function worksOn(context: SuiteContext): Promise<void> {
  await delay(WORK_MS);
  context.send(200, 'ok');
}

/** Never touches the response after the client has disconnected. */
async function stops(context: SuiteContext): Promise<void> {
  const signal = context.admission?.permit?.signal as AbortSignal;
  const isDone = await delay(WORK_MS, true, { signal }).catch(() => false);
  if (isDone) context.send(200, 'ok');
}

async function* chunks() {
  yield Buffer.from('o');
  await delay(WORK_MS);
  yield Buffer.from('k');
}

async function reads(context: SuiteContext): Promise<void> {
  await context.body();
  await worksOn(context);
}

/** A client that sends a request and may disconnect after this many milliseconds. Returns whether it was answered. */
async function visit(app: Running, index: number, leavesAfter?: number) {
  const { path, method = 'GET' } = steps[index % steps.length] as { path: string; method?: string };
  const body = method === 'POST' ? { body: 'x'.repeat(100_000) } : {};
  const call = app.call(path, { method, ...body });
  if (leavesAfter !== undefined) setTimeout(() => call.abort(), leavesAfter);
  const answer = await call.answer().catch(() => undefined);
  return answer?.status === 200 && answer.body === 'ok';
}

/** Does the same over HTTP/2, in a session with others. */
async function visitByStream(
  session: http2.ClientHttp2Session,
  index: number,
  leavesAfter?: number,
) {
  const { path, method = 'GET' } = steps[index % steps.length] as { path: string; method?: string };
  const stream = session.request({ ':path': path, ':method': method });
  stream.end(method === 'POST' ? 'x'.repeat(100_000) : undefined);
  if (leavesAfter !== undefined)
    setTimeout(() => stream.close(http2.constants.NGHTTP2_CANCEL), leavesAfter);
  return (await text(stream).catch(() => '')) === 'ok';
}

type Visit = (index: number, leavesAfter?: number) => Promise<boolean>;

/** Makes this percentage of many clients give up at random times, and expects that the others are answered. */
async function expectOthersAnswered(percentage: number, visitor: Visit): Promise<void> {
  const random = seededRandom();
  // Until a request of its route has been answered, a client that disconnects occupies its permit for a second.
  for (const index of steps.keys()) expect(await visitor(index)).toBe(true);
  const others: Promise<boolean>[] = [];
  const leavers: Promise<boolean>[] = [];
  for (let index = 0; index < REQUESTS; index++) {
    const isLeaver = 100 * random() < percentage;
    if (isLeaver) leavers.push(visitor(index, 1.5 * WORK_MS * random()));
    else others.push(visitor(index));
    await delay(INTERVAL_MS);
  }
  const answered = (await Promise.all(others)).filter(Boolean).length;
  expect(answered / others.length).toBeGreaterThanOrEqual(0.98);
  await Promise.all(leavers);
}

export function givingUp(world: World): void {
  const options = { limit: LIMIT, queueLimit: 2 * LIMIT, queueTimeout: 500 };

  it.each([10, 50, 90])(
    'answers the other clients while %i % of the clients give up at random times',
    async (percentage) => {
      const limit = world.limit(options);
      const app = await world.serve({ use: limit }, ...steps);
      // Some frameworks report responses that could not be sent, and bodies that did not arrive.
      app.ignoreErrors();
      await expectOthersAnswered(percentage, (...args) => visit(app, ...args));
      await counts(limit, 0, 0);
    },
  );

  if (world.framework.can.http2) {
    it('answers the other streams of an HTTP/2 session while half of them are reset at random times', async () => {
      const limit = world.limit(options);
      const app = await world.serveHttp2({ use: limit }, ...steps);
      app.ignoreErrors();
      const session = http2.connect(app.url);
      world.later(() => session.destroy());
      await once(session, 'connect');
      await expectOthersAnswered(50, (...args) => visitByStream(session, ...args));
      await counts(limit, 0, 0);
    });
  }

  /** An app whose handler continues to work after its client has disconnected. Counts the running handlers. */
  async function counting(queueLimit: number) {
    collectWarnings('HEADGATE_SHEDDING');
    const limit = world.limit({ limit: LIMIT, queueLimit });
    const handlers = { running: 0, most: 0, started: 0 };
    const handle: SuiteHandler = async (context) => {
      handlers.started++;
      handlers.most = Math.max(handlers.most, ++handlers.running);
      await delay(10 * WORK_MS);
      context.send(200, 'ok');
      handlers.running--;
    };
    const app = await world.serve({ use: limit }, { handle });
    app.ignoreErrors();
    return { limit, handlers, app };
  }

  it.each([
    ['before any request has been answered', 0],
    ['after others have been answered', LIMIT],
  ])('bounds the handlers of clients that leave at once: %s', async (_, answered) => {
    const { limit, handlers, app } = await counting(0);
    await Promise.all(Array.from({ length: answered }, () => app.call().answer()));
    for (let index = 0; index < 300; index++) {
      const raw = app.raw();
      raw.socket.on('connect', () => {
        raw.request('GET /');
        raw.socket.destroy();
      });
      if (index % 2 === 0) await aRound();
    }
    await until(() => handlers.running === 0);
    expect(handlers.started).toBeGreaterThan(answered + LIMIT);
    expect(handlers.most).toBeLessThanOrEqual(2 * LIMIT);
    await counts(limit, 0);
  });

  it('bounds the handlers of clients that disconnect while their requests are pipelined', async () => {
    const { limit, handlers, app } = await counting(LIMIT);
    for (let index = 0; index < 60; index++) {
      const raw = app.raw();
      for (let request = 0; request < 4; request++) raw.request('GET /');
      await delay(5);
      await raw.destroy();
    }
    await until(() => handlers.running === 0);
    expect(handlers.started).toBeGreaterThan(LIMIT);
    expect(handlers.most).toBeLessThanOrEqual(2 * LIMIT);
    await counts(limit, 0, 0);
  });
}
