import assert from 'node:assert/strict';
import { openaiError } from '@headgate/ai';
import { limitTool } from '@headgate/ai/mcp';
import { createGate, createLimiter, HeadgateError, type Permit } from '@headgate/core';
import type {} from '@headgate/core/http';
import { dashboard } from '@headgate/dashboard/express';
import { concurrencyLimit, RejectedError } from '@headgate/express';
import { limitFetch } from '@headgate/fetch';
import type { PostgresStoreOptions } from '@headgate/postgres';
import type { RedisStoreOptions } from '@headgate/redis';
import { lockClient, serverStore } from '@headgate/server-client';
import { memoryStore } from '@headgate/store-kit/memory-store';
import express from 'express';

export type Options = PostgresStoreOptions | RedisStoreOptions;

const app = express().use(concurrencyLimit({ limit: 4, key: (req) => req.ip }));
assert.equal(typeof app, 'function');
assert.equal(serverStore({ url: 'http://localhost:8000' }).leaseDuration, 10_000);

/** Inferred types, which TypeScript must be able to name in the declarations. */
export const limit = concurrencyLimit({ limit: 4 });
export const page = dashboard({ limits: [limit] });
export const store = memoryStore();
export const gate = createGate({ limits: [{ name: 'reports', limit: 2 }] });
export const health = () => ({ ...limit.stats(), app: { ...gate.stats() }, ...limiter.stats() });
export const parts = () => ({ ...limit.limiters, ...gate.limiters, guard: gate.guard });
export const state = () => ({ state: limiter.state, ...limiter.stats().suggestion });
export const locks = lockClient({ url: 'http://localhost:8000' });
export const tool = limitTool(gate, (extra: { signal: AbortSignal }) => extra.signal.aborted);
export const api = limitFetch(fetch, { limit: 2 });
export const called = (): Promise<Response> => api('http://localhost:8000');
export const codeOf = (error: HeadgateError) => error.code;

const limiter = createLimiter({ name: 'pages', limit: 1, queueLimit: 0, store: memoryStore() });

limiter
  .acquire()
  .then(async (permit: Permit) => {
    const error: unknown = await limiter.acquire().catch((reason: unknown) => reason);
    assert.ok(error instanceof RejectedError && error instanceof HeadgateError);
    assert.equal(error.rejection.reason, 'full');
    assert.equal(openaiError(error.rejection).status, 503);
    permit.release();
    await limiter.close();
  })
  .catch((error) => {
    console.error(error);
    process.exitCode = 1;
  });
