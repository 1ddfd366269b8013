import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Held, RemoteLimiter } from './remote-limiter.ts';

export interface RestartDriver {
  /** Starts two connected processes that share a limit. */
  start(options: {
    limit: number;
    lease: number;
    timeout: number;
  }): Promise<[RemoteLimiter, RemoteLimiter]>;
  /** Ends the server. */
  away(): Promise<unknown>;
  /** Starts the server again. */
  back(): Promise<unknown>;
}

/** Milliseconds. A busy machine starts a server in half of it. */
const timeout = 9_000;
const lease = 30_000;

/** Tests, in real processes, that a server that is away for less than the timeout of a call is no outage. */
export function restartSuite(how: string, { start, away, back }: RestartDriver): void {
  test.each([200, timeout / 4])(
    `a server that is ${how}, and started after %d ms, rejects no waiter and no new caller`,
    async (milliseconds) => {
      const [one, two] = await start({ limit: 2, lease, timeout });
      const held = [await one.acquire(), await two.acquire()];
      const all: Promise<Held>[] = [];
      for (let i = 0; i < 10; i++) all.push((await (i % 2 === 0 ? one : two).wait()).held);
      await away();
      for (let i = 0; i < 3; i++) all.push((i % 2 === 0 ? one : two).acquire());
      const served = Promise.all(all.map(async (next) => (await next).release()));
      await sleep(milliseconds);
      await back();
      for (const permit of held) await permit.release();
      await served;
      for (const process of [one, two]) {
        expect(process.of('store')).toEqual([]);
        expect(await process.do('stats')).toMatchObject({ inflight: 0, queued: 0 });
      }
    },
    60_000,
  );
}
