import { type Arrival, merge, poisson, type Traits } from './arrivals.ts';
import { distributions, rate, type Server } from './settings.ts';
import type { Trial } from './trial.ts';

interface Flood {
  readonly server: Server;
  readonly kind: keyof typeof distributions;
  /** What the small requester requests of the capacity. */
  readonly use: number;
  /** How long requests arrive: this many seconds, and this many times the mean duration. */
  readonly seconds: number;
  readonly durations: number;
  /** The traits of the requests of the `small` and of the `large` requester. */
  readonly traits: (requester: 'small' | 'large') => Traits;
}

/** A small requester next to one that requests 2.7 times the capacity. */
export function flooded(
  { part }: Trial,
  { server, kind, use, seconds, durations, traits }: Flood,
): { readonly small: Arrival[]; readonly all: Arrival[] } {
  const load = {
    duration: distributions[kind](server.mean),
    until: Math.max(1000 * seconds, durations * server.mean) * part,
  };
  const small = poisson({
    ...load,
    perSecond: rate(server, use),
    seed: 5,
    traits: () => traits('small'),
  });
  const large = poisson({
    ...load,
    perSecond: rate(server, 2.7),
    seed: 6,
    traits: () => traits('large'),
  });
  return { small, all: merge(small, large) };
}
