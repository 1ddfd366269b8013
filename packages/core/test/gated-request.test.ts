import { EventEmitter } from 'node:events';
import { collectWarnings } from '@headgate/test-kit/warnings';
import { Latch, VirtualClock } from '@headgate/test-suite';
import { aRound } from '@headgate/test-suite/kit';
import { expect, it, vi } from 'vitest';
import { Exchange, GatedRequest, type GatedRequestSettings } from '../src/http/gated-request.ts';
import { NodeExchange } from '../src/http/node-exchange.ts';
import { SlowClients } from '../src/http/slow-clients.ts';
import { UsualDurations } from '../src/http/usual-durations.ts';
import { createGate, type Gate, systemClock } from '../src/index.ts';

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
  gate: Gate,
  onDisconnect: GatedRequestSettings['onDisconnect'],
): GatedRequestSettings {
  const clock = systemClock;
  const durations = new UsualDurations(clock);
  const kindOf = () => undefined;
  return {
    gate,
    guard: undefined,
    clock,
    isDefault: false,
    countsWaiting: true,
    onDisconnect,
    durations,
    kindOf,
  };
}

/** Makes a request at a gate. */
function enter(
  gate: Gate,
  client: Exchange,
  onDisconnect: GatedRequestSettings['onDisconnect'] = 'wait',
): GatedRequest {
  const demands = Object.values(gate.limiters).map((limiter) => ({ limiter, weight: 1 }));
  const gated = new GatedRequest(doorOf(gate, onDisconnect), client, demands);
  gated.enter(true);
  return gated;
}

it('a permit released by a disconnect has the outcome "ignored"', () => {
  const released = vi.fn();
  const gate = createGate({ limits: [{ name: 'app', limit: 1 }] });
  gate.observe({ released });
  const client = new QuietClient();
  enter(gate, client, 'release');
  client.ended('unanswered');
  expect(released).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ outcome: 'ignored' }));
  expect(gate.holders).toBe(0);
});

it.each([
  [true, 'ok'],
  [false, 'ignored'],
])(
  'the permit of a disconnected client gets its outcome from the ended response: %s, outcome "%s"',
  (hasEnded, outcome) => {
    const released = vi.fn();
    const { clock, gate, arrive } = untracked();
    gate.observe({ released });
    const { client } = arrive();
    client.ended('unanswered');
    if (hasEnded) client.finish();
    clock.advance(1000);
    expect(released).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ outcome }));
  },
);

it('a disconnect in an inner queue does not release the permit of a running outer handler', async () => {
  const [outer, inner] = ['outer', 'inner'].map((name) =>
    createGate({ limits: [{ name, limit: 1 }], queueLimit: 1 }),
  ) as [Gate, Gate];
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

/** A request that has been admitted, at a gate with the checks of the default limit. */
function admitted() {
  const clock = new VirtualClock();
  const rtts: number[] = [];
  const create = () => ({ limit: 1, sample: ({ rtt }: { rtt: number }) => void rtts.push(rtt) });
  const gate = createGate({ limits: [{ name: 'app', limit: { create } }], clock });
  const slowClients = new SlowClients(gate, clock);
  const client = new QuietClient();
  const demands = Object.values(gate.limiters).map((limiter) => ({ limiter, weight: 1 }));
  const settings = { ...doorOf(gate, 'wait'), isDefault: true, countsWaiting: false, slowClients };
  const gated = new GatedRequest(settings, client, demands);
  gated.enter(true);
  const counts = () => [gate.holders, gate.stats().limits[0]?.inflight];
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
  const inner = createGate({ limits: [{ name: 'inner', limit: 1 }], queueLimit: 1, clock });
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
    const inner = createGate({ limits: [{ name: 'inner', limit: 1 }], queueLimit });
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
  const inner = createGate({ limits: [{ name: 'inner', limit: 1 }], queueLimit: 1, clock });
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
  const gate = createGate({ limits: [{ name: 'app', limit: 1 }], queueLimit: 1 });
  await gate.acquire();
  const client = new QuietClient();
  enter(gate, client);
  expect(client.isQueued).toBe(true);
  client.gone = true;
  client.ended('unanswered');
  expect([client.isQueued, gate.queued]).toEqual([false, 0]);
  expect(client.admission).toEqual({ permit: undefined, waited: 0, rejection: undefined });
});

/** A fixed limit, and requests of one kind at it whose framework does not report when a handler settles. */
function untracked(limit = 10) {
  const clock = new VirtualClock();
  const gate = createGate({ limits: [{ name: 'app', limit }], clock });
  const settings = {
    ...doorOf(gate, 'wait'),
    clock,
    durations: new UsualDurations(clock),
    kindOf: () => 'route',
  };
  const demands = Object.values(gate.limiters).map((limiter) => ({ limiter, weight: 1 }));
  const arrive = () => {
    const client = new LeavingClient();
    const gated = new GatedRequest(settings, client, demands);
    gated.enter(true);
    return { client, gated };
  };
  const answer = (duration: number) => {
    const { client } = arrive();
    clock.advance(duration);
    client.ended('complete');
  };
  return { clock, gate, settings, arrive, answer };
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

it.each(['unanswered', 'truncated'] as const)(
  'a permit of a disconnected client is held for as long as the requests of its kind take: %s',
  (ending) => {
    const { clock, gate, arrive, answer } = untracked();
    answer(200);
    const { client } = arrive();
    clock.advance(50);
    client.ended(ending);
    clock.advance(149);
    expect(gate.holders).toBe(1);
    clock.advance(1);
    expect([gate.holders, clock.armed]).toEqual([0, 0]);
  },
);

it('a handler that is reported after the disconnect holds the permit until it has settled', async () => {
  const { clock, gate, arrive } = untracked();
  const { client, gated } = arrive();
  client.ended('unanswered');
  let finish = () => {};
  const work = gated.trackHandler(new Promise<void>((resolve) => (finish = resolve)));
  clock.advance(60_000);
  expect(gate.holders).toBe(1);
  finish();
  await work;
  expect(gate.holders).toBe(0);
});

it('a handler that responds after its permit was released increases the usual duration of its kind', () => {
  const { clock, settings, arrive, answer } = untracked();
  answer(10);
  const { client } = arrive();
  client.ended('unanswered');
  clock.advance(30);
  client.finish();
  expect(settings.durations.of('route')).toBe(20);
});

it('a stream that ends because its client disconnected does not affect the usual duration', () => {
  const { clock, settings, arrive, answer } = untracked();
  answer(10);
  const { client } = arrive();
  clock.advance(3_600_000);
  client.ended('truncated');
  clock.advance(5);
  client.finish();
  expect(settings.durations.of('route')).toBe(10);
});

it('clients that disconnect cannot start ever more expensive requests of a usually cheap kind', () => {
  const { clock, gate, arrive, answer } = untracked();
  for (let index = 0; index < 100; index++) answer(1);
  let running = 0;
  let most = 0;
  for (let time = 0; time < 3000; time++) {
    if (gate.holders < 10) {
      const { client } = arrive();
      client.ended('unanswered');
      running++;
      clock.setTimeout(() => {
        running--;
        client.finish();
      }, 100);
    }
    if (time > 1000) most = Math.max(most, running);
    clock.advance(1);
  }
  expect(most).toBeLessThanOrEqual(20);
});

it('a request rejected by an inner limit does not affect the usual duration', async () => {
  const { clock, settings, arrive } = untracked();
  const inner = createGate({ limits: [{ name: 'inner', limit: 1 }], queueLimit: 0 });
  await inner.acquire();
  const { client } = arrive();
  enter(inner, client);
  clock.advance(1);
  client.ended('complete');
  expect(settings.durations.of('route')).toBe(1000);
});

/** A request that arrives after another one, whose handler's promise settled, has been answered within 200 ms. */
async function afterOneAnswer() {
  const { clock, gate, arrive } = untracked();
  const answered = arrive();
  answered.gated.trackHandler(Promise.resolve());
  clock.advance(200);
  answered.client.ended('complete');
  await aRound();
  return { clock, gate, ...arrive() };
}

it('a promise that waits for the end of a truncated response counts for the usual duration', async () => {
  const { clock, gate, client, gated } = await afterOneAnswer();
  gated.trackHandler(new Promise(() => {}));
  client.ended('truncated');
  clock.advance(10_000);
  expect(gate.holders).toBe(1);
  client.handOver();
  expect([gate.holders, clock.armed]).toEqual([0, 0]);
});

it('a handler that has piped a stream to its response is done when it settles, even before the usual duration', async () => {
  const { clock, gate, client, gated } = await afterOneAnswer();
  const work = new Latch();
  gated.trackHandler(work.opened);
  client.ended('truncated');
  client.handOver();
  clock.advance(100);
  expect(gate.holders).toBe(1);
  work.open();
  await work.opened;
  expect(gate.holders).toBe(0);
  clock.advance(100);
  expect(gate.stats()).toMatchObject({ holders: 0, admitted: 2 });
});
