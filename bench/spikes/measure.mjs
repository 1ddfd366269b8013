import { abortedAtRandom } from '../../scripts/hosts/http-checks.mjs';
import { StartedHost } from '../../scripts/hosts/started-host.mjs';
import { arrivals } from '../src/overload/arrivals.ts';
import { answeredPart, figuresOf } from '../src/overload/figures.ts';
import { closedLoop, openLoop } from '../src/overload/load.ts';
import { normal } from '../src/overload/plan.ts';
import { peakMemory } from './memory.mjs';

/** Multiples of the capacity without the hook. */
export const MULTIPLES = [5, 20];
export const RUNS = 3;
/** Seconds. */
export const SPIKE = 10;
const WARM_UP = 6;
const AFTER = 5;

/** Clients in a closed loop that use the whole capacity, and the seconds of a measurement. */
const SATURATING = 16;
const CAPACITY_TIME = 5;

/** How many requests are aborted at random, and how many of them at once. */
const ABORTED = 1_000;
const AT_ONCE = 50;

const path = '/list';

/**
 * Measures spikes on an app, with and without the hook. Each server is a fresh process, which has had half of the
 * capacity for a while.
 *
 * @param app.project The result of `createProject`.
 * @param app.base What the paths of its routes begin with.
 * @param app.rows The server from which its page reads.
 * @param app.ownConnections See `Route`.
 * @returns `capacity`: requests per second. `spikes`: for each run, multiple and server, the part of the capacity that was answered in time.
 */
export async function measureSpikes(app) {
  const { ownConnections } = app;
  const { capacity } = await withServer(app, false, capacityOf);
  const spikes = [];
  for (let run = 1; run <= RUNS; run++) {
    const now = await withServer(app, false, capacityOf);
    for (const multiple of MULTIPLES) {
      for (const hooked of [false, true]) {
        const load = { multiple, rate: capacity, seed: run, ownConnections };
        const spike = await withServer(app, hooked, (host) => spikeOn(host, load));
        const answered = spike.answered / now.capacity;
        spikes.push({ ...spike, multiple, hooked, answered });
      }
    }
  }
  await withServer(app, true, abortRequests);
  return { capacity, spikes };
}

async function withServer({ project, base, rows }, hooked, work) {
  const HEADGATE = { admin: { port: 0 } };
  const host = await StartedHost.start(project, rows, { base, hooked, HEADGATE });
  try {
    return await work(host);
  } finally {
    await host.stop();
  }
}

/** The first measurement compiles the app's code. */
async function capacityOf(host) {
  const route = { port: host.port, path: host.path(path), ownConnections: false };
  await closedLoop(route, SATURATING, CAPACITY_TIME);
  const { rate } = await closedLoop(route, SATURATING, CAPACITY_TIME);
  return { capacity: rate };
}

async function spikeOn(host, { multiple, rate, seed, ownConnections }) {
  const route = { port: host.port, path: host.path(path), ownConnections };
  const phases = [
    { name: 'before', duration: WARM_UP, rate: normal * rate },
    { name: 'spike', duration: SPIKE, rate: multiple * rate },
    { name: 'after', duration: AFTER, rate: normal * rate },
  ];
  const attempts = await openLoop(route, arrivals(phases, seed));
  const of = (name) => attempts.filter(({ phase }) => phase === name);
  const { answered, p99 } = figuresOf(of('spike'), SPIKE);
  return { answered, p99, after: answeredPart(of('after')), memory: peakMemory(host.pid) };
}

/** Throws unless all permits are free afterwards. */
async function abortRequests(host) {
  for (let done = 0; done < ABORTED; done += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, () => abortedAtRandom(host, [path])));
  }
  await host.has({ active: 0, queued: 0 });
}
