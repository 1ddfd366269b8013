import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultyProxy } from '@headgate/test-servers';
import { stamp } from '../log/stamp.ts';
import type { Fault, FaultContext } from './fault.ts';

function onConnections(
  name: string,
  inject: (proxy: FaultyProxy, context: FaultContext) => Promise<void> | void,
): Fault[] {
  const one: Fault = {
    name,
    alone: false,
    inject: async (context) => {
      const proxy = chooseProxy(context);
      if (proxy !== undefined) await inject(proxy, context);
    },
  };
  const all: Fault = {
    name: `${name}, for all`,
    alone: true,
    inject: async (context) => {
      await Promise.all(context.environment.proxies.map((proxy) => inject(proxy, context)));
    },
  };
  return [one, all];
}

/** Usually chooses a worker that holds permits, which it may lose. */
function chooseProxy({ workers, rng, environment }: FaultContext): FaultyProxy | undefined {
  const holder = rng.chance(0.7) ? rng.pick(workers.holders) : undefined;
  return holder === undefined
    ? rng.pick(environment.proxies)
    : environment.proxies[workers.slotOf(holder)];
}

const cut = onConnections('cut connections', (proxy) => proxy.cut());

const refuse = onConnections('refuse connections', async (proxy, { rng, lease }) => {
  proxy.refuse(true);
  proxy.cut();
  await sleep(lease * rng.between(0.05, 2));
  proxy.refuse(false);
});

const slow = onConnections('slow the network', async (proxy, context) => {
  const { rng, lease } = context;
  await withMissedMessages(proxy, context, async () => {
    proxy.delay(rng.between(5, lease / 4));
    await sleep(lease * rng.between(0.5, 1.5));
    proxy.delay(0);
  });
});

/** Each connection has its own latency, so a request can overtake an earlier one. Calls are still answered in time. */
const uneven = onConnections('slow connections unevenly', async (proxy, context) => {
  const { rng, lease } = context;
  await withMissedMessages(proxy, context, async () => {
    proxy.delayEach(() => rng.between(0, 60));
    await sleep(lease * rng.between(1, 3));
    proxy.delay(0);
  });
});

const halfOpen = onConnections('half-open connections', async (proxy, context) => {
  const { rng, lease } = context;
  await withMissedMessages(proxy, context, async () => {
    proxy.hold(true);
    await sleep(lease * rng.between(0.2, 2.5));
    // In the end, either everything that was held back arrives, or nothing does.
    if (rng.chance(0.5)) proxy.cut();
    proxy.hold(false);
  });
});

/** Affects only one of the worker's connections, and neither end notices. The connection is reset after a while. */
const silence = onConnections('silence one connection', async (proxy, context) => {
  const { rng, lease } = context;
  await withMissedMessages(proxy, context, async () => {
    const reset = proxy.holdOne((count) => rng.below(count));
    await sleep(lease * rng.between(0.5, 3));
    reset();
  });
});

/** Records that the process behind the proxy cannot notice the end of its connections for a while. */
async function withMissedMessages(
  proxy: FaultyProxy,
  { workers, environment, note }: FaultContext,
  inject: () => Promise<void>,
): Promise<void> {
  const from = stamp();
  const slot = environment.proxies.indexOf(proxy);
  const before = workers.at(slot);
  await inject();
  for (const name of new Set([before, workers.at(slot)])) {
    note({ kind: 'missedMessages', at: stamp(), from, worker: name });
  }
}

/** Faults of the network between workers and servers. */
export const network: readonly Fault[] = [
  ...cut,
  ...refuse,
  ...slow,
  ...uneven,
  ...halfOpen,
  ...silence,
];
