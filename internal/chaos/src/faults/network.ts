import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultyProxy } from '@headgate/test-servers';
import { stamp } from '../log/stamp.ts';
import type { Fault, Stage } from './fault.ts';

function onTheWay(
  name: string,
  strike: (proxy: FaultyProxy, stage: Stage) => Promise<void> | void,
): Fault[] {
  const one: Fault = {
    name,
    alone: false,
    strike: async (stage) => {
      const proxy = wayOf(stage);
      if (proxy !== undefined) await strike(proxy, stage);
    },
  };
  const all: Fault = {
    name: `${name}, for all`,
    alone: true,
    strike: async (stage) => {
      await Promise.all(stage.ground.proxies.map((proxy) => strike(proxy, stage)));
    },
  };
  return [one, all];
}

/** Chooses mostly a worker that holds permits, which it may lose. */
function wayOf({ workers, rng, ground }: Stage): FaultyProxy | undefined {
  const holder = rng.chance(0.7) ? rng.pick(workers.holders) : undefined;
  return holder === undefined ? rng.pick(ground.proxies) : ground.proxies[workers.slotOf(holder)];
}

const cut = onTheWay('cut connections', (proxy) => proxy.cut());

const refuse = onTheWay('refuse connections', async (proxy, { rng, lease }) => {
  proxy.refuse(true);
  proxy.cut();
  await sleep(lease * rng.between(0.05, 2));
  proxy.refuse(false);
});

const slow = onTheWay('slow the network', async (proxy, stage) => {
  const { rng, lease } = stage;
  await unheard(proxy, stage, async () => {
    proxy.delay(rng.between(5, lease / 4));
    await sleep(lease * rng.between(0.5, 1.5));
    proxy.delay(0);
  });
});

/** Each connection has its own latency, so a request can overtake an earlier one. Calls are still answered in time. */
const uneven = onTheWay('slow connections unevenly', async (proxy, stage) => {
  const { rng, lease } = stage;
  await unheard(proxy, stage, async () => {
    proxy.delayEach(() => rng.between(0, 60));
    await sleep(lease * rng.between(1, 3));
    proxy.delay(0);
  });
});

const halfOpen = onTheWay('half-open connections', async (proxy, stage) => {
  const { rng, lease } = stage;
  await unheard(proxy, stage, async () => {
    proxy.hold(true);
    await sleep(lease * rng.between(0.2, 2.5));
    // At the end, either everything that was held back arrives, or nothing does.
    if (rng.chance(0.5)) proxy.cut();
    proxy.hold(false);
  });
});

/** Affects only one of the worker's connections, and neither end notices; it is reset after a while. */
const silence = onTheWay('silence one connection', async (proxy, stage) => {
  const { rng, lease } = stage;
  await unheard(proxy, stage, async () => {
    const reset = proxy.holdOne((count) => rng.below(count));
    await sleep(lease * rng.between(0.5, 3));
    reset();
  });
});

/** Records that the process behind the proxy cannot notice meanwhile that its connections end. */
async function unheard(
  proxy: FaultyProxy,
  { workers, ground, note }: Stage,
  strike: () => Promise<void>,
): Promise<void> {
  const from = stamp();
  const slot = ground.proxies.indexOf(proxy);
  const before = workers.at(slot);
  await strike();
  for (const name of new Set([before, workers.at(slot)])) {
    note({ kind: 'deaf', at: stamp(), from, worker: name });
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
