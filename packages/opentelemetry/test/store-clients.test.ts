import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { createLimiter, type Limiter, type Permit } from '@headgate/core';
import { postgresStore } from '@headgate/postgres';
import { redisStore } from '@headgate/redis';
import { outsideRequest, type Store } from '@headgate/store-kit';
import { startPostgres, startRedis } from '@headgate/test-servers';
import { context, type Span, trace } from '@opentelemetry/api';
import { IORedisInstrumentation } from '@opentelemetry/instrumentation-ioredis';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import { RedisInstrumentation } from '@opentelemetry/instrumentation-redis';
import type * as Ioredis from 'ioredis';
import type * as Redis from 'redis';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { traced } from './sdk.ts';

const { tracer, provider, exporter } = traced();

const instrumentations = [
  new PgInstrumentation(),
  new IORedisInstrumentation(),
  new RedisInstrumentation(),
];
for (const one of instrumentations) one.setTracerProvider(provider);
afterAll(() => {
  for (const one of instrumentations) one.disable();
});

/** Instrumentations replace methods of modules that are loaded by `require`. */
const require = createRequire(import.meta.url);
require('pg');
const ioredis = require('ioredis') as typeof Ioredis;
const nodeRedis = require('redis') as typeof Redis;

const [redis, postgres] = await Promise.all([startRedis(), startPostgres()]);
afterAll(() => Promise.all([redis.stop(), postgres.stop()]));

const times = { leaseDuration: 1_200, timeout: 400 };

async function ofPostgres(): Promise<Store> {
  const store = postgresStore({
    connect: `postgres://postgres@127.0.0.1:${postgres.port}/postgres`,
    ...times,
  });
  await store.migrate();
  return store;
}

async function ofIoredis(): Promise<Store> {
  const client = new ioredis.Redis(redis.port, '127.0.0.1');
  onTestFinished(() => client.disconnect());
  await client.ping();
  return redisStore({ client, ...times });
}

async function ofNodeRedis(): Promise<Store> {
  const client = nodeRedis.createClient({ socket: { host: '127.0.0.1', port: redis.port } });
  onTestFinished(() => client.destroy());
  await client.connect();
  return redisStore({ client, ...times });
}

/** A request with a trace of its own, which ends with it; long enough for its lease to be renewed. */
async function request(limiter: Limiter, admitted: () => void): Promise<Span> {
  const span = tracer.startSpan('request');
  const work = async () => {
    admitted();
    await delay(700);
  };
  await context.with(trace.setSpan(context.active(), span), () => limiter.run(work));
  span.end();
  return span;
}

it.each([
  ['pg', ofPostgres],
  ['ioredis', ofIoredis],
  ['redis', ofNodeRedis],
])(
  'with an instrumented client, the trace of a request shows its operations and nothing after its end: %s',
  async (_, create) => {
    const store = await create();
    const limiter = createLimiter({
      name: 'app',
      limit: 1,
      queueLimit: 9,
      queueTimeout: 20_000,
      store,
    });
    onTestFinished(async () => {
      await limiter.close();
      await store.close();
    });
    exporter.reset();
    let others: Promise<Permit>[] = [];
    const queueOthers = () => {
      others = outsideRequest(() => [limiter.acquire(), limiter.acquire()]);
    };
    const { traceId } = (await request(limiter, queueOthers)).spanContext();
    const spans = () =>
      exporter.getFinishedSpans().filter((span) => span.spanContext().traceId === traceId);
    // Its release is answered.
    await delay(200);
    const names = spans().map(({ name }) => name);
    expect(names).toContain('request');
    expect(names.length).toBeGreaterThan(1);
    // Now the second one holds the permit, and the third one is queued: both leases are renewed.
    await delay(1_200);
    expect(spans().map(({ name }) => name)).toEqual(names);
    for (const other of others) (await other).release();
  },
);
