import { EventEmitter } from 'node:events';
import { collectWarnings } from '@headgate/test-kit/warnings';
import { Latch, VirtualClock } from '@headgate/test-suite';
import { expect, it, vi } from 'vitest';
import { AbandonedRequests } from '../src/http/abandoned-requests.ts';
import { Exchange } from '../src/http/exchange.ts';
import { GatedRequest, type GatedRequestSettings } from '../src/http/gated-request.ts';
import { HttpGate } from '../src/http/http-gate.ts';
import { NodeExchange } from '../src/http/node-exchange.ts';
import { SlowClients } from '../src/http/slow-clients.ts';
import { createLimiter, type Limiter, type LocalLimiter, systemClock } from '../src/index.ts';

class QuietClient extends Exchange {
  gone = false;
  headersSent = false;
  isReading = false;
  override get awaitsBody(): boolean {
    return this.isReading;
  }
  protected listen(): void {}
}

function doorOf(
  limiter: Limiter,
  onDisconnect: GatedRequestSettings['onDisconnect'],
): GatedRequestSettings {
  const clock = systemClock;
  return {
    limiter,
    guard: undefined,
    clock,
    isDefault: false,
    countsWaiting: true,
    onDisconnect,
    abandoned: new AbandonedRequests(clock),
    kindOf: () => undefined,
    targetOf: () => 'GET /',
  };
}

/** Makes a request at a limit. */
function enter(
  limiter: Limiter,
  client: Exchange,
  onDisconnect: GatedRequestSettings['onDisconnect'] = 'wait',
): GatedRequest {
  const demands = [{ limiter, weight: 1 }];
  const gated = new GatedRequest(doorOf(limiter, onDisconnect), client, demands);
  gated.enter(true);
  return gated;
}

it('a permit released by a disconnect has the outcome "ignored"', () => {
  const released = vi.fn();
  const limiter = createLimiter({ name: 'app', limit: 1 });
  limiter.observe({ released });
  const client = new QuietClient();
  enter(limiter, client, 'release');
  client.ended('unanswered');
  expect(released).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ outcome: 'ignored' }));
  expect(limiter.holders).toBe(0);
});

it.each([
  [true, 'ok'],
  [false, 'ignored'],
])(
  'the permit of a disconnected client gets its outcome from the ended response: %s, outcome "%s"',
  (hasEnded, outcome) => {
    const released = vi.fn();
    const { clock, limiter, arrive } = untracked();
    limiter.observe({ released });
    const { client } = arrive();
    client.ended('unanswered');
    if (hasEnded) client.finish();
    clock.advance(30_000);
    expect(released).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ outcome }));
  },
);

it('a disconnect in an inner queue does not release the permit of a running outer handler', async () => {
  const [outer, inner] = ['outer', 'inner'].map((name) =>
    createLimiter({ name, limit: 1, queueLimit: 1 }),
  ) as [LocalLimiter, LocalLimiter];
  await inner.acquire();
  const warnings = collectWarnings();
  const client = new QuietClient();
  const first = enter(outer, client);
  let finish = () => {};
  const handler = new Promise<void>((resolve) => {
    finish = resolve;
  });
  first.trackHandler(handler);
  const second = enter(inner, client);
  client.gone = true;
  client.ended('truncated');
  expect([second.disconnected, inner.queued, outer.holders]).toEqual([true, 0, 1]);
  finish();
  await handler;
  expect(outer.holders).toBe(0);
  expect(warnings).toEqual(['HEADGATE_NESTED_WAIT']);
});

/** The parts of Node's request and response that an exchange uses. */
function parts() {
  const socket = Object.assign(new EventEmitter(), { destroyed: false, destroy: () => {} });
  const methods = { writeHead: vi.fn(), write: vi.fn(), end: vi.fn(), destroy: vi.fn() };
  const state = { headersSent: false, writableFinished: false, destroyed: false, errored: null };
  const response = Object.assign(new EventEmitter(), methods, { ...state, socket: null });
  const request = Object.assign(new EventEmitter(), {
    ...{ headers: {}, readableDidRead: false, readableEnded: false, complete: true },
    ...{ destroyed: false, errored: null, httpVersionMajor: 1, socket },
    ...{ pause: () => {}, resume: () => {}, destroy: vi.fn() },
  });
  return { socket, request, response };
}

function connection() {
  const { socket, request, response } = parts();
  const client = NodeExchange.of(request as never, response as never);
  return { socket, request, response, client };
}

it('a finished pipelined response does not end again when its connection closes', () => {
  const { socket, response, client } = connection();
  const ended = vi.fn();
  client.observe({ outer: undefined, ended } as never);
  response.emit('close');
  socket.emit('close');
  expect(ended).toHaveBeenCalledTimes(1);
});

it('middleware of two adapters finds the same exchange, wherever each stores it', () => {
  const { request, response } = parts();
  const outer = NodeExchange.of(request as never, response as never, {});
  outer.observe({ outer: undefined, ended: () => {} } as never);
  expect(NodeExchange.of(request as never, response as never)).toBe(outer);
  expect(NodeExchange.of(request as never, response as never, {})).toBe(outer);
});

it.each(['end', 'destroy'] as const)(
  'a handler of a disconnected client is noticed when it calls %s',
  (method) => {
    const { response, client } = connection();
    const done = vi.fn();
    const original = response[method];
    client.whenDone(done);
    response.write('text');
    response.on('close', () => {});
    expect(done).not.toHaveBeenCalled();
    response[method]('text');
    expect(done).toHaveBeenCalledOnce();
    expect(original).toHaveBeenCalledExactlyOnceWith('text');
  },
);

it.each([
  ['response', 'destroyed'],
  ['response', 'closed'],
  ['request', 'destroyed'],
  ['request', 'aborted'],
] as const)(
  'a handler reads whether its client is connected when it reads that the %s is %s',
  async (name, property) => {
    const { request, response, client } = connection();
    Object.assign(response, { destroyed: true, closed: true });
    Object.assign(request, { destroyed: true, aborted: true });
    const read = vi.fn();
    client.whenDisconnectRead(read);
    // A logger that reads it when the response closes does not count.
    expect(response.destroyed).toBe(true);
    await new Promise((resolve) => setTimeout(resolve));
    expect(read).not.toHaveBeenCalled();
    expect(({ request, response } as never)[name][property]).toBe(true);
    expect(read).toHaveBeenCalledOnce();
  },
);

it('a pipelined response that is not destroyed shows no disconnect to a handler that reads it', async () => {
  const { response, client } = connection();
  const read = vi.fn();
  client.whenDisconnectRead(read);
  await new Promise((resolve) => setTimeout(resolve));
  expect([response.destroyed, read.mock.calls]).toEqual([false, []]);
});

it.each([
  ['has begun to respond', ({ response }) => Object.assign(response, { headersSent: true }), true],
  ['listens for the close of its response', ({ response }) => response.on('close', () => {}), true],
  ['listens for the close of its request', ({ request }) => request.on('close', () => {}), true],
  ['listens for the abort of its request', ({ request }) => request.on('aborted', () => {}), true],
  [
    'has read its body to the end and listens for its close, which then comes without a disconnect',
    ({ request }) => Object.assign(request, { readableEnded: true }).on('close', () => {}),
    false,
  ],
  [
    'reads a body that is incomplete',
    ({ request }) => Object.assign(request, { complete: false }).on('data', () => {}),
    true,
  ],
  ['does none of that', () => {}, false],
] as [string, (parts: ReturnType<typeof connection>) => unknown, boolean][])(
  'a handler that %s seems to stop with its client, or not',
  (_, prepare, expected) => {
    const served = connection();
    const { request, response, socket, client } = served;
    Object.assign(socket, { server: {} });
    // Listeners in front of the limit, as those of loggers, do not count.
    response.on('close', () => {});
    request.on('close', () => {});
    client.observe({ outer: undefined, ended: () => {} } as never);
    prepare(served);
    expect(client.seemsToStop).toBe(expected);
  },
);

it('a handler that has ended the response counts as done before the disconnect', () => {
  const { response, client } = connection();
  Object.assign(response, { headersSent: true, writableEnded: true });
  const done = vi.fn();
  client.whenDone(done);
  expect(done).toHaveBeenCalledOnce();
});

it('over HTTP/2, a stream reset by the client does not count as a call of destroy', () => {
  const { request, response, client } = connection();
  client.observe({ outer: undefined, ended: () => {} } as never);
  request.httpVersionMajor = 2;
  Object.assign(response, { errored: undefined });
  const done = vi.fn();
  client.whenDone(done);
  expect(done).not.toHaveBeenCalled();
});

/** A request that has been admitted, at a limit with the checks of the default limit. */
function admitted() {
  const clock = new VirtualClock();
  const rtts: number[] = [];
  const create = () => ({ limit: 1, sample: ({ rtt }: { rtt: number }) => void rtts.push(rtt) });
  const limiter = createLimiter({ name: 'app', limit: { create }, clock });
  const slowClients = new SlowClients(limiter, clock);
  const client = new QuietClient();
  const demands = [{ limiter, weight: 1 }];
  const settings = {
    ...doorOf(limiter, 'wait'),
    isDefault: true,
    countsWaiting: false,
    slowClients,
  };
  const gated = new GatedRequest(settings, client, demands);
  gated.enter(true);
  const counts = () => [limiter.holders, limiter.inflight];
  return { clock, client, gated, counts, rtts };
}

it('a handler stops counting when its response has begun, even if the client disconnects and it continues', () => {
  const { clock, client, gated, counts } = admitted();
  gated.trackHandler(new Promise(() => {}));
  client.headersSent = true;
  client.ended('truncated');
  clock.advance(100);
  expect(counts()).toEqual([1, 0]);
});

it('a handler that waits for the body of a disconnected client does not count', () => {
  const { clock, client, counts } = admitted();
  client.isReading = true;
  clock.advance(100);
  client.ended('unanswered');
  clock.advance(500);
  expect(counts()).toEqual([1, 0]);
});

it('a request that is queued at an inner limit counts once that limit has admitted it', async () => {
  const { clock, client, counts, rtts } = admitted();
  const inner = createLimiter({ name: 'inner', limit: 1, queueLimit: 1, clock });
  const permit = await inner.acquire();
  const gated = enter(inner, client);
  expect(counts()).toEqual([1, 0]);
  clock.advance(500);
  expect(counts()).toEqual([1, 0]);
  permit.release();
  expect(gated.permit).toBeDefined();
  expect(counts()).toEqual([1, 1]);
  clock.advance(20);
  client.ended('complete');
  expect([counts(), rtts]).toEqual([[0, 0], [20]]);
});

it.each([0, 1])(
  'a request rejected by an inner limit with a queue of %i counts, but is not a sample',
  async (queueLimit) => {
    const { client, counts, rtts } = admitted();
    const inner = createLimiter({ name: 'inner', limit: 1, queueLimit });
    await inner.acquire();
    const gated = enter(inner, client);
    void inner.close();
    expect(gated.rejection).toMatchObject({ reason: queueLimit === 0 ? 'full' : 'closed' });
    expect(counts()).toEqual([1, 1]);
    client.ended('complete');
    expect([counts(), rtts]).toEqual([[0, 0], []]);
  },
);

it('a handler that continues after a disconnect from an inner queue counts again', async () => {
  const { clock, client, gated, counts } = admitted();
  const inner = createLimiter({ name: 'inner', limit: 1, queueLimit: 1, clock });
  await inner.acquire();
  gated.trackHandler(new Promise(() => {}));
  enter(inner, client);
  client.gone = true;
  client.ended('truncated');
  expect(inner.queued).toBe(0);
  clock.advance(100);
  expect(counts()).toEqual([1, 1]);
});

it('a request whose client disconnected in the queue has neither a permit nor a rejection', async () => {
  const limiter = createLimiter({ name: 'app', limit: 1, queueLimit: 1 });
  await limiter.acquire();
  const client = new QuietClient();
  enter(limiter, client);
  expect(client.isQueued).toBe(true);
  client.gone = true;
  client.ended('unanswered');
  expect([client.isQueued, limiter.queued]).toEqual([false, 0]);
  expect(client.admission).toEqual({ permit: undefined, waited: 0, rejection: undefined });
});

/** A fixed limit, and requests of one route at it whose framework does not report when a handler settles. */
function untracked(limit = 10) {
  const clock = new VirtualClock();
  const limiter = createLimiter({ name: 'app', limit, queueLimit: 1, clock });
  const abandoned = new AbandonedRequests(clock);
  const settings = { ...doorOf(limiter, 'wait'), clock, abandoned, kindOf: () => 'route' };
  const demands = [{ limiter, weight: 1 }];
  const arrive = () => {
    const client = new LeavingClient();
    const gated = new GatedRequest(settings, client, demands);
    gated.enter(true);
    return { client, gated };
  };
  return { clock, limiter, abandoned, arrive };
}

class LeavingClient extends QuietClient {
  finish = () => {};
  handOver = () => {};
  override whenHandedOver(callback: () => void): void {
    this.handOver = callback;
  }
  override whenDone(callback: () => void): void {
    this.finish = callback;
  }
}

it('a permit of a client that has left is held until a later request of its route has been answered', () => {
  const { limiter, arrive } = untracked();
  const earlier = arrive();
  const leaver = arrive();
  const later = arrive();
  leaver.client.ended('unanswered');
  earlier.client.ended('complete');
  expect([limiter.holders, limiter.stats().abandoned]).toEqual([2, 1]);
  later.client.ended('complete');
  expect([limiter.holders, limiter.stats().abandoned]).toEqual([0, 0]);
});

it('a response to a request that an inner limit has rejected does not show that its handler is done', async () => {
  const { limiter, arrive } = untracked();
  const inner = createLimiter({ name: 'inner', limit: 1, queueLimit: 0 });
  await inner.acquire();
  arrive().client.ended('unanswered');
  const { client } = arrive();
  enter(inner, client);
  client.ended('complete');
  expect(limiter.holders).toBe(1);
});

it('a handler that has begun to respond is taken to stop with its client', () => {
  const { limiter, arrive, clock } = untracked();
  const { client } = arrive();
  client.headersSent = true;
  client.ended('truncated');
  expect([limiter.holders, clock.armed]).toEqual([0, 0]);
});

it('a handler that has taken the signal of its permit is taken to stop with its client', () => {
  const { limiter, arrive } = untracked();
  const { client, gated } = arrive();
  expect(gated.permit?.signal.aborted).toBe(false);
  client.ended('unanswered');
  expect(limiter.holders).toBe(0);
});

it('a handler whose inner limit passes on the signal of an outer permit is taken to stop with its client', () => {
  const { arrive } = untracked();
  const inner = createLimiter({ name: 'inner', limit: 1 });
  const { client, gated } = arrive();
  enter(inner, client);
  expect(gated.permit?.signal.aborted).toBe(false);
  client.ended('unanswered');
  expect(inner.holders).toBe(0);
});

it('after the promise of a handler has settled without a response, its callbacks may work on', async () => {
  const { clock, limiter, arrive } = untracked();
  const { client, gated } = arrive();
  await gated.trackHandler(Promise.resolve());
  client.ended('unanswered');
  expect(limiter.holders).toBe(1);
  client.finish();
  expect([limiter.holders, clock.armed]).toEqual([0, 1]);
});

it('a handler that is reported after the disconnect holds the permit until it has settled', async () => {
  const { clock, limiter, arrive } = untracked();
  const { client, gated } = arrive();
  client.ended('unanswered');
  const work = new Latch();
  const tracked = gated.trackHandler(work.opened);
  clock.advance(60_000);
  expect(limiter.holders).toBe(1);
  work.open();
  await tracked;
  expect(limiter.holders).toBe(0);
});

it('a request that is rejected by an inner limit after its client has left releases the outer permit', async () => {
  const { limiter, arrive } = untracked();
  const inner = createLimiter({ name: 'inner', limit: 1, queueLimit: 1 });
  await inner.acquire();
  const warnings = collectWarnings();
  const { client } = arrive();
  enter(inner, client);
  client.gone = true;
  client.ended('unanswered');
  expect([inner.queued, limiter.holders]).toEqual([0, 0]);
  expect(warnings).toEqual(['HEADGATE_NESTED_WAIT']);
});

it('a promise that waits for the end of a truncated response counts until the response is piped', async () => {
  const { clock, limiter, arrive } = untracked();
  const { client, gated } = arrive();
  gated.trackHandler(new Promise(() => {}));
  client.ended('truncated');
  clock.advance(60_000);
  expect([limiter.holders, limiter.stats().abandoned]).toEqual([1, 1]);
  client.handOver();
  expect([limiter.holders, limiter.stats().abandoned]).toEqual([0, 0]);
});

it.each([
  ['unanswered', 'release', 'timeout'],
  ['complete', 'release', undefined],
  ['complete', 'wait', undefined],
] as const)(
  'responses that end as "%s" (onDisconnect: "%s") after 400 ms in the queue: a wait that long ends as %s',
  (ending, onDisconnect, reason) => {
    const clock = new VirtualClock();
    const limiter = createLimiter({ name: 'app', limit: 1, queueTimeout: 1000, clock });
    const requests = Array.from({ length: 12 }, () => {
      const client = new QuietClient();
      return { client, gated: enter(limiter, client, onDisconnect) };
    });
    clock.advance(400);
    for (const { client } of requests.slice(0, 10)) client.ended(ending);
    expect(requests.map(({ gated }) => gated.rejection?.reason)[10]).toBe(reason);
  },
);

it('a request that is admitted at once, and whose end cannot be observed, leaves no permit behind', () => {
  class MockedClient extends QuietClient {
    protected override listen(): void {
      throw new TypeError('res.on is not a function');
    }
  }
  const framework = { method: () => 'GET', path: () => '/', kind: () => undefined };
  const http = new HttpGate<object>({ limit: 1 }, framework as never);
  expect(() => http.enter({}, new MockedClient(), undefined)).toThrow('res.on is not a function');
  expect(http.gate.holders).toBe(0);
});
