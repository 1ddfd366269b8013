import { describe, expect, it } from 'vitest';
import { Exchange } from '../src/http/exchange.ts';
import type { GatedRequest } from '../src/http/gated-request.ts';
import { withHandle } from '../src/http/handle.ts';
import { HttpGate } from '../src/http/http-gate.ts';
import { createGate, createLimiter, type Handle, type Stats } from '../src/index.ts';
import { MeasuredLimits, metrics } from '../src/metrics/index.ts';

class OpenExchange extends Exchange {
  readonly gone = false;
  readonly headersSent = false;
  protected listen(): void {}
}

const app = { name: 'app', limit: 4 };
const queue = { queueLimit: 1, queueTimeout: 60_000 };
const weights = { app: 3 };

interface Subject {
  readonly handle: Handle;
  /** Requests a permit of weight 3; returns what releases it, if it was admitted. */
  request(): Promise<() => void>;
}

function limiter(): Subject {
  const handle = createLimiter({ ...app, ...queue });
  return { handle, request: async () => releaseOf(await handle.acquire({ weight: 3 })) };
}

function gateOf(limits: Parameters<typeof createGate>[0]['limits']): Subject {
  const handle = createGate({ name: 'app', limits, ...queue });
  return { handle, request: async () => releaseOf(await handle.acquire({ weights })) };
}

function middleware(): Subject {
  const framework = { method: () => 'GET', kind: () => undefined };
  const http = new HttpGate<object>({ ...app, ...queue, weight: () => 3 }, framework as never);
  return {
    handle: withHandle(() => undefined, http),
    request: async () => {
      const gated = http.enter({}, new OpenExchange(), undefined) as GatedRequest;
      await gated.answered;
      if (gated.rejection !== undefined) throw gated.rejection;
      return () => gated.permit?.release();
    },
  };
}

const releaseOf = (permit: { release(): void }) => () => permit.release();

const subjects: readonly (readonly [string, () => Subject])[] = [
  ['a limiter', limiter],
  ['a gate of one limit', () => gateOf([app])],
  ['a gate of two limits', () => gateOf([{ name: 'user', limit: 9, optional: true }, app])],
  ['a middleware', middleware],
];

const statsOfLimit = (stats: Stats) => (stats.limits ?? [stats]).find(({ name }) => name === 'app');

describe.each(subjects)('%s', (_name, make) => {
  it('counts its permits as holders and their weight as inflight of its limiter', async () => {
    const { handle, request } = make();
    const release = await request();
    const waiting = request();
    await request().catch(() => {});
    expect([handle.name, handle.closed, handle.holders, handle.queued]).toEqual([
      'app',
      false,
      1,
      1,
    ]);
    expect(handle.guard).toBeUndefined();
    expect(handle.limiters.app).toMatchObject({ name: 'app', holders: 1, inflight: 3 });
    const stats = handle.stats();
    expect(stats).toMatchObject({ name: 'app', holders: 1, queued: 1, admitted: 1 });
    expect(stats).toMatchObject({ rejected: { full: 1 }, withdrawn: 0, leaked: 0 });
    expect(statsOfLimit(stats)).toMatchObject({ holders: 1, inflight: 3, limit: 4 });
    release();
    (await waiting)();
    expect(await handle.close()).toBe(0);
    expect([handle.closed, handle.holders, handle.queued]).toEqual([true, 0, 0]);
  });

  it('reports each request to its observers once', async () => {
    const { handle, request } = make();
    const events: string[] = [];
    const stop = handle.observe({
      admitted: ({ name }) => events.push(`admitted ${name}`),
      released: ({ name }) => events.push(`released ${name}`),
    });
    (await request())();
    stop();
    (await request())();
    expect(events).toEqual(['admitted app', 'released app']);
  });

  it('is measured as one active request of weight 3', async () => {
    const { handle, request } = make();
    const measured = new MeasuredLimits({
      ...{ start() {}, stop() {} },
      open: () => ({ record() {} }),
    });
    measured.add([handle]);
    const release = await request();
    const found: Record<string, number> = {};
    measured.collect((metric, value, attributes) => {
      if (Object.values(attributes).join() === 'app') found[metric.name] = value;
    });
    expect(found).toMatchObject({ [metrics.active.name]: 1, [metrics.inflight.name]: 3 });
    release();
  });
});

it('gates and middlewares have no count of weight, which belongs to each of their limits', () => {
  for (const [, make] of subjects.slice(1)) {
    const { handle } = make();
    expect(handle).not.toHaveProperty('inflight');
    expect(handle.stats()).not.toHaveProperty('inflight');
  }
});

it('the statistics of gates have the same members, and those of a limiter have these as well', () => {
  const [ofLimiter = [], ofOne = [], ofTwo = [], ofMiddleware = []] = subjects.map(([, make]) =>
    Object.keys(JSON.parse(JSON.stringify(make().handle.stats()))).sort(),
  );
  expect(ofTwo).toEqual(ofOne);
  expect(ofMiddleware).toEqual([...ofOne, 'skipped', 'reentered'].sort());
  expect(ofLimiter).toEqual(expect.arrayContaining(ofOne.filter((each) => each !== 'limits')));
});
