import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGate, createLimiter } from '@headgate/core';
import { concurrencyLimit } from '@headgate/express';
import { Memory, memoryStore } from '@headgate/store-kit/memory-store';
import { VirtualClock } from '@headgate/test-suite';
import { context, metrics, type Span, trace } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import express from 'express';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { instrument } from '../src/index.ts';
import { metered, traced } from './sdk.ts';

const { tracer, provider, exporter } = traced();

/** Calls `fn` within a new span, as a server's instrumentation does for each request. */
function within<T>(name: string, fn: (span: Span) => T): T {
  return tracer.startActiveSpan(name, fn);
}

const waits = () => exporter.getFinishedSpans().filter(({ name }) => name === 'headgate wait');
const parentOf = (span: ReadableSpan | undefined) => span?.parentSpanContext?.spanId;
const wait = (outcome: string, limit = 'app') => ({
  'headgate.limit.name': limit,
  'headgate.outcome': outcome,
});

function limited() {
  const clock = new VirtualClock();
  const limiter = createLimiter({ name: 'app', limit: 1, queueLimit: 2, queueTimeout: 50, clock });
  const remove = instrument(limiter, { meter: metered().meter, tracer });
  return { clock, limiter, remove };
}

describe('a span for the wait', () => {
  it('is a child of the span of its own request, not of the one that released the permit', async () => {
    const { limiter } = limited();
    const holder = within('holder', () => limiter.tryAcquire());
    const spans: Span[] = [];
    const waiting = ['one', 'two'].map((name) =>
      within(name, (span) => {
        spans.push(span);
        return limiter.run(() => trace.getSpan(context.active()));
      }),
    );
    within('release', () => holder?.release());
    expect(await Promise.all(waiting)).toEqual(spans);
    expect(waits().map(parentOf)).toEqual(spans.map((span) => span.spanContext().spanId));
    expect(waits().map(({ attributes }) => attributes)).toEqual([
      wait('admitted'),
      wait('admitted'),
    ]);
    expect(waits().flatMap(({ events }) => events)).toEqual([]);
  });

  it('ends with the outcome of a request that is not admitted', async () => {
    const { clock, limiter } = limited();
    limiter.tryAcquire();
    const abort = new AbortController();
    const late = within('late', () => limiter.acquire());
    const left = within('left', () => limiter.acquire({ signal: abort.signal }));
    abort.abort();
    await expect(left).rejects.toThrow();
    clock.advance(50);
    await expect(late).rejects.toThrow('timeout');
    const closed = within('closed', () => limiter.acquire());
    void limiter.close();
    await expect(closed).rejects.toThrow('closed');
    const outcomes = waits().map(({ attributes }) => attributes);
    expect(outcomes).toEqual([wait('withdrawn'), wait('timeout'), wait('closed')]);
  });

  it('is not created for a request that is admitted at once, nor for one without a trace', async () => {
    const { limiter } = limited();
    const permit = within('request', () => limiter.tryAcquire());
    const waiting = limiter.acquire();
    permit?.release();
    (await waiting).release();
    expect(exporter.getFinishedSpans()).toEqual([]);
  });

  it('is not created for a request whose trace is not sampled', async () => {
    const { limiter } = limited();
    const start = vi.spyOn(tracer, 'startSpan');
    onTestFinished(() => start.mockRestore());
    const permit = limiter.tryAcquire();
    const spanContext = { traceId: '1'.repeat(32), spanId: '2'.repeat(16), traceFlags: 0 };
    const unsampled = trace.setSpanContext(context.active(), spanContext);
    const waiting = context.with(unsampled, () => limiter.acquire());
    const sampled = trace.setSpanContext(context.active(), { ...spanContext, traceFlags: 1 });
    const other = context.with(sampled, () => limiter.acquire());
    expect(start).toHaveBeenCalledTimes(1);
    permit?.release();
    (await waiting).release();
    (await other).release();
  });

  it('is replaced by attributes of the active span for a request that is rejected immediately', async () => {
    const clock = new VirtualClock();
    const limiter = createLimiter({ name: 'app', limit: 1, queueLimit: 0, clock });
    instrument(limiter, { meter: metered().meter, tracer });
    limiter.tryAcquire();
    await within('request', async (span) => {
      await expect(limiter.acquire()).rejects.toThrow('full');
      span.end();
    });
    const spans = exporter.getFinishedSpans().map(({ name, attributes }) => ({ name, attributes }));
    expect(spans).toEqual([{ name: 'request', attributes: wait('full') }]);
  });

  it('begins before the store of a distributed limit answers, in the trace of its request', async () => {
    const clock = new VirtualClock();
    const memory = new Memory({ clock });
    const store = () => memoryStore({ memory, clock });
    const options = { name: 'account', limit: 1, queueLimit: 5, clock };
    const other = createLimiter({ ...options, store: store() });
    const gate = createGate({
      name: 'api',
      limits: [
        { name: 'user', limit: 5, perKey: true },
        { limiter: createLimiter({ ...options, store: store() }) },
      ],
      queueLimit: 5,
      clock,
    });
    instrument(gate, { meter: metered().meter, tracer });
    const held = await other.acquire();
    const ids: string[] = [];
    const ask = (name: string) =>
      within(name, (span) => {
        ids.push(span.spanContext().spanId);
        return gate.acquire();
      });
    const waiting = [ask('one'), ask('two')];
    await expect.poll(() => gate.queued).toBe(2);
    held.release();
    (await waiting[0])?.release();
    (await waiting[1])?.release();
    expect(waits().map(parentOf)).toEqual(ids);
    expect(waits().map(({ attributes }) => attributes)).toEqual([
      wait('admitted', 'api'),
      wait('admitted', 'api'),
    ]);
    await other.close();
    await Object.values(gate.limiters)[1]?.close();
  });

  it('ends when the instrument is removed', () => {
    const { limiter, remove } = limited();
    const permit = limiter.tryAcquire();
    within('waiting', () => void limiter.acquire());
    expect(waits()).toEqual([]);
    remove();
    expect(waits().map(({ attributes }) => attributes)).toEqual([{ 'headgate.limit.name': 'app' }]);
    permit?.release();
    expect(waits()).toHaveLength(1);
  });
});

describe('a limit that is instrumented again', () => {
  const waitOnce = async (limiter: ReturnType<typeof limited>['limiter']) => {
    const permit = limiter.tryAcquire();
    const waiting = within('request', () => limiter.acquire());
    permit?.release();
    (await waiting).release();
  };

  it('has one span for each wait, even if the SDK was registered after the first instrument()', async () => {
    const limiter = createLimiter({ name: 'app', limit: 1, queueLimit: 1 });
    // The global providers do nothing yet.
    const removeEarly = instrument(limiter);
    metrics.setGlobalMeterProvider(metered().provider);
    trace.setGlobalTracerProvider(provider);
    onTestFinished(() => {
      metrics.disable();
      trace.disable();
    });
    const remove = instrument(limiter);
    await waitOnce(limiter);
    expect(waits()).toHaveLength(1);
    removeEarly();
    removeEarly();
    await waitOnce(limiter);
    expect(waits()).toHaveLength(2);
    remove();
    await waitOnce(limiter);
    expect(waits()).toHaveLength(2);
  });

  it('has a span from each tracer if the tracers differ', async () => {
    const { limiter } = limited();
    const other = provider.getTracer('other');
    instrument(limiter, { meter: metered().meter, tracer: other });
    instrument(limiter, { meter: metered().meter, tracer });
    await waitOnce(limiter);
    const scopes = waits().map(({ instrumentationScope }) => instrumentationScope.name);
    expect(scopes.sort()).toEqual(['other', 'test']);
  });
});

it('each request of an Express server has its own wait in its own trace', async () => {
  const limit = concurrencyLimit({ name: 'web', limit: 1, queueLimit: 9 });
  const remove = instrument(limit, { meter: metered().meter, tracer });
  const app = express();
  const requests = new Map<string, string>();
  app.use((req, _res, next) => {
    within(`GET ${req.path}`, (span) => {
      requests.set(req.path, span.spanContext().spanId);
      next();
    });
  });
  app.use(limit);
  let open = () => {};
  const first = new Promise<void>((resolve) => {
    open = resolve;
  });
  const handled: string[] = [];
  app.get('/:name', async (_req, res) => {
    await first;
    handled.push(trace.getSpan(context.active())?.spanContext().spanId ?? '');
    res.end();
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const answers: Promise<Response>[] = [];
  for (const name of ['a', 'b', 'c']) {
    answers.push(fetch(`${url}/${name}`));
    await expect.poll(() => limit.holders + limit.queued).toBe(answers.length);
  }
  open();
  for (const answer of await Promise.all(answers)) expect(answer.status).toBe(200);
  const ids = ['/a', '/b', '/c'].map((path) => requests.get(path));
  expect(handled).toEqual(ids);
  expect(waits().map(parentOf)).toEqual(ids.slice(1));
  remove();
});
