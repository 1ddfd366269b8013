import type { SharedLimiterOptions } from '@headgate/core';
import { expect, test, vi } from 'vitest';
import { type FaultyProxy, startProxy } from '../proxy.ts';
import type { Limited } from './limited.ts';
import { expectWhole } from './whole.ts';

type Cut = Pick<SharedLimiterOptions, 'limit' | 'onStoreError'>;

export interface CutDriver {
  /** Two processes, which reach the server through this proxy. */
  start(proxy: FaultyProxy, options: Cut): Promise<Limited[]>;
  server(): { readonly port: number };
  /** Milliseconds that each direction takes. */
  readonly delay: number;
  /** Milliseconds by which each round is longer than the one before: so connections break at another step. */
  readonly step: number;
  /** Milliseconds after which every lease has expired. */
  readonly back: number;
}

/** What holds for processes whose connections break while they are used: as tests in real processes. */
export function cutSuite({ start, server, delay, step, back }: CutDriver): void {
  test.for(['reject', 'admit', 'local'] as const)(
    'connections that break at whatever step lose no permit (%s)',
    async (onStoreError, { onTestFinished }) => {
      const proxy = await startProxy(server());
      onTestFinished(() => proxy.stop());
      proxy.delay(delay);
      const limit = 2;
      const [one, two] = (await start(proxy, { limit, onStoreError })) as [Limited, Limited];
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
      const idle = { inflight: 0, queued: 0, shared: { up: true } };
      for (const process of [one, two]) {
        await vi.waitFor(async () => expect(await process.do('stats')).toMatchObject(idle), 8_000);
      }
      await expectWhole(one, limit, back);
    },
  );
}
