import type { DistributedLimiterOptions } from '@headgate/core';
import { expect, test, vi } from 'vitest';
import { type FaultyProxy, startProxy } from '../proxy.ts';
import { expectFullLimitAvailable } from './full-limit.ts';
import type { RemoteLimiter } from './remote-limiter.ts';

type Cut = Pick<DistributedLimiterOptions, 'limit' | 'onStoreError'>;

export interface CutDriver {
  /** Starts two processes that reach the server through this proxy. */
  start(proxy: FaultyProxy, options: Cut): Promise<RemoteLimiter[]>;
  server(): { readonly port: number };
  /** Latency of each direction in milliseconds. */
  readonly delay: number;
  /**
   * Each round is longer than the previous one by this many milliseconds, so that connections break at a different
   * step.
   */
  readonly step: number;
  /** Milliseconds after which every lease has expired. */
  readonly back: number;
}

/** Tests, in real processes, of connections that break while they are used. */
export function cutSuite({ start, server, delay, step, back }: CutDriver): void {
  test.for(['reject', 'admit', 'local'] as const)(
    'connections that break at any step lose no permit (%s)',
    async (onStoreError, { onTestFinished }) => {
      const proxy = await startProxy(server());
      onTestFinished(() => proxy.stop());
      proxy.delay(delay);
      const limit = 2;
      const [one, two] = (await start(proxy, { limit, onStoreError })) as [
        RemoteLimiter,
        RemoteLimiter,
      ];
      for (let round = 0; round < 8; round++) {
        const asked = Array.from({ length: 10 }, (_, i) =>
          (i % 2 === 0 ? one : two).acquire({ queueTimeout: 5_000 }).then(
            (held) => held.release(),
            (error) => expect(['store', 'timeout']).toContain(error.reason),
          ),
        );
        await new Promise((resolve) => setTimeout(resolve, step * round));
        proxy.cut();
        await Promise.all(asked);
      }
      proxy.delay(0);
      const idle = { inflight: 0, queued: 0, distributed: { up: true } };
      for (const process of [one, two]) {
        await vi.waitFor(async () => expect(await process.do('stats')).toMatchObject(idle), 8_000);
      }
      await expectFullLimitAvailable(one, limit, back);
    },
  );
}
