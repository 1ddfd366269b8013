import { quantile } from '../load/index.ts';
import { milliseconds, perSecond } from './format.ts';
import type { ClosedLoad } from './generator.ts';
import { ShowsNothing } from './verdict.ts';

/** What the first pass has found out, the same for all. */
export interface Plan {
  /** The number of clients that, waiting for their answers, use the whole capacity. */
  readonly clients: number;
  /** The spike's multiple of the capacity. */
  readonly multiple: number;
  /** Clients give up after this many milliseconds. */
  readonly timeout: number;
}

export const FEW_CLIENTS = 8;
const MAX_CLIENTS = 512;
/** As many more clients must have this many times more answers, or the capacity is reached. */
const GROWTH = 1.15;
const MAX_MULTIPLE = 5;
/** Less is hardly an overload. */
const MIN_MULTIPLE = 2;
/** The CPU of the generator in milliseconds per second: it needs the rest to be on time. */
const MAX_CPU = 700;

/**
 * Finds the load that overloads a server.
 *
 * @param closed Sends requests in a closed loop with this many clients.
 * @throws ShowsNothing if this machine cannot overload it.
 */
export async function planFor(closed: (clients: number) => Promise<ClosedLoad>): Promise<Plan> {
  const alone = quantile((await closed(1)).times, 0.5);
  let clients = FEW_CLIENTS;
  let best = await closed(clients);
  for (;;) {
    if (clients >= MAX_CLIENTS) throw new ShowsNothing(nothingIsScarce(best.rate));
    const more = await closed(4 * clients);
    if (more.rate <= GROWTH * best.rate || more.outcomes.rejected > 0) break;
    best = more;
    clients *= 4;
  }
  const most = MAX_CPU / best.cost;
  const multiple = Math.min(MAX_MULTIPLE, Math.floor((10 * most) / best.rate) / 10);
  if (multiple < MIN_MULTIPLE) throw new ShowsNothing(tooCheap(best.rate, most));
  return { clients, multiple, timeout: Math.max(1_000, 500 * Math.ceil((4 * alone) / 500)) };
}

const nothingIsScarce = (rate: number) =>
  `the server answers ${perSecond(rate)} to ${MAX_CLIENTS} clients at once, and more to more: nothing in it is scarce, so it cannot be overloaded. Choose a page that queries a real database, or computes`;

const tooCheap = (rate: number, most: number) =>
  `a request takes ${milliseconds(1_000 / rate)} of the server, which answers ${perSecond(rate)}. This machine can send ${perSecond(most)}, which cannot overload it. Choose an expensive page, such as a search or a report`;
