import type { Contender } from './contenders.ts';
import type { Network } from './network.ts';
import { type Outage, sleep, Upstream, WORK, WORKERS } from './upstream.ts';

/** Milliseconds before, during and after the outage. */
export interface Phases {
  readonly before: number;
  readonly outage: number;
  readonly after: number;
}

export interface Result {
  /** Requests that the server received during the outage, for each call. */
  readonly requests: number;
  /** Seconds after the outage until 95 % of the calls are answered, then and later; Infinity if never. */
  readonly recovery: number;
  /** The fraction of the calls that was answered: before the outage, during it, and from five seconds after it on. */
  readonly before: number;
  readonly during: number;
  readonly after: number;
}

const PROCESSES = 10;
/** Calls per second, as a fraction of the server's capacity. */
const LOAD = 0.9;
/** Milliseconds that a caller waits. */
export const PATIENCE = 10_000;
/** The clients have recovered once this fraction of the calls is answered. */
const RECOVERED = 0.95;
/** Calls within this many milliseconds are judged together. */
const WINDOW = 3_000;

interface Called {
  /** Milliseconds since the start. */
  readonly at: number;
  readonly isAnswered: boolean;
}

/** Simulates processes that call a server, which fails for a while. */
export async function storm(
  contender: Contender,
  outage: Outage,
  { before, outage: duration, after }: Phases,
  connect: (upstream: Upstream) => Network | Promise<Network>,
): Promise<Result> {
  const upstream = new Upstream(outage, contender.isLimited ?? false);
  const network = await connect(upstream);
  const clients = Array.from({ length: PROCESSES }, () => contender.create(network));
  const [start, end] = [performance.now(), before + duration];
  const requests = fail(upstream, before, duration);
  const calls: Promise<Called>[] = [];
  for (let at = gap(); at < end + after; at += gap()) {
    await sleep(start + at - performance.now());
    const call = clients[Math.floor(Math.random() * PROCESSES)] as (typeof clients)[number];
    const answered = call(AbortSignal.timeout(PATIENCE)).then(
      () => true,
      () => false,
    );
    calls.push(answered.then((isAnswered) => ({ at, isAnswered })));
  }
  const all = await Promise.all(calls);
  network.close();
  return {
    requests: (await requests) / all.filter(({ at }) => at >= before && at < end).length,
    recovery: recoveryOf(all, end, end + after),
    before: answered(all, 0, before),
    during: answered(all, before, end),
    after: answered(all, end + 5_000, end + after),
  };
}

/** Milliseconds until the next call, of callers that do not know of each other. */
function gap(): number {
  return (-Math.log(1 - Math.random()) * WORK) / (LOAD * WORKERS);
}

/** Resolves after the outage to the number of requests that were received during it. */
async function fail(upstream: Upstream, before: number, duration: number): Promise<number> {
  await sleep(before);
  upstream.isDown = true;
  const { requests } = upstream;
  await sleep(duration);
  upstream.recover();
  return upstream.requests - requests;
}

function recoveryOf(calls: readonly Called[], begin: number, end: number): number {
  let recovery = Infinity;
  for (let at = end - WINDOW; at >= begin; at -= 1_000) {
    if (answered(calls, at, at + WINDOW) < RECOVERED) break;
    recovery = (at - begin) / 1_000;
  }
  return recovery;
}

function answered(calls: readonly Called[], from: number, to: number): number {
  const some = calls.filter(({ at }) => at >= from && at < to);
  return some.filter(({ isAnswered }) => isAnswered).length / some.length;
}
