import type { TestContext } from 'vitest';
import { startProxy } from '../proxy.ts';
import type { Held, RemoteLimiter, Waiting } from './remote-limiter.ts';

interface Server {
  readonly port: number;
}

/** Starts two processes: one behind a proxy, which holds a permit, and one that waits for the permit. */
export async function startBehindProxy<L extends RemoteLimiter>(
  { onTestFinished }: TestContext,
  server: Server,
  start: (server: Server) => Promise<L[]>,
) {
  const proxy = await startProxy(server);
  onTestFinished(() => proxy.stop());
  const [one] = (await start(proxy)) as [L];
  const [two] = (await start(server)) as [L];
  const held = await one.acquire();
  const waiting = await two.wait();
  return { proxy, one, two, held, waiting };
}

/** Returns which happens first: the holder's signal aborts, or the waiter is granted the permit. */
export function firstOf({
  held,
  waiting,
}: {
  held: Held;
  waiting: Waiting;
}): Promise<string | undefined> {
  return Promise.race([
    held.aborted().then(({ code }) => code),
    waiting.held.then(() => 'granted to another'),
  ]);
}
