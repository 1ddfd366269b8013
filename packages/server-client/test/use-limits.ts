import {
  createLimiter,
  type DistributedLimiterOptions,
  type Limiter,
  type Observer,
} from '@headgate/core';
import { serverStore } from '@headgate/server-client';
import type { Store } from '@headgate/store-kit';
import { type FaultyProxy, startProxy } from '@headgate/test-servers';
import { afterEach, beforeEach, expect, onTestFinished, vi } from 'vitest';
import { useServer } from './use-server.ts';

/** Limits of another value than 1. */
const values: Readonly<Record<string, number>> = { two: 2, three: 3 };

/** Limits counted by a service in this process, behind a proxy; new for each test of a file. */
export function useLimits() {
  const service = useServer({});
  let proxy: FaultyProxy;
  beforeEach(async () => {
    proxy = await startProxy({ port: service.port });
  });
  afterEach(() => proxy.stop());

  // So long that no lease is renewed within a test.
  function connect({ lease = 60_000, timeout = 20_000 } = {}): Store {
    const store = serverStore({
      url: `http://127.0.0.1:${proxy.port}`,
      leaseDuration: lease,
      timeout,
    });
    onTestFinished(() => store.close());
    return store;
  }

  function limiter(
    name: string,
    {
      observer,
      warns = false,
      ...options
    }: Partial<DistributedLimiterOptions> & { observer?: Observer; warns?: boolean } = {},
    store = connect(),
  ): Limiter {
    const usual = { limit: values[name] ?? 1, queueLimit: 1_000, queueTimeout: 20_000 };
    // Observing `store` suppresses the warnings.
    const quiet = warns ? {} : { store: () => {} };
    const all = { name, ...usual, store, ...options };
    const limit = createLimiter(all as DistributedLimiterOptions);
    limit.observe({ ...quiet, ...observer });
    return limit;
  }

  async function usage(name: string): Promise<[inflight: number, queued: number]> {
    const { inflight, queued } = await connect().stats({ name });
    return [inflight, queued];
  }

  /** Waits until the service reports these counts. */
  async function expectUsage(
    name: string,
    counts: Awaited<ReturnType<typeof usage>>,
  ): Promise<void> {
    await vi.waitFor(async () => expect(await usage(name)).toEqual(counts), 10_000);
  }

  return {
    service,
    connect,
    limiter,
    usage,
    expectUsage,
    get proxy() {
      return proxy;
    },
  };
}
