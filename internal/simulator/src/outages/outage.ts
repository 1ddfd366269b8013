import type { Outcome } from '@headgate/core';
import type { Dependency } from '../dependency.ts';
import type { Simulation } from '../simulation.ts';

export const kinds = [
  'some calls fail',
  'all calls fail',
  'all calls fail quickly',
  'quick failures that count as success',
  'calls time out',
  'calls hang',
  'calls take ten times as long',
  'a tenth of the capacity',
  'a restart',
] as const;

/** A period in which a dependency fails. */
export interface Outage {
  readonly kind: (typeof kinds)[number];
  /** When it begins and ends, in milliseconds. */
  readonly from: number;
  readonly to: number;
  /** Fraction of the calls that fail, for `some calls fail`. */
  readonly part: number;
  /** Milliseconds after which calls time out. */
  readonly timeout: number;
}

/** How a call fails. */
interface Failure {
  /** Milliseconds after which it returns. */
  readonly after: number;
  readonly outcome: Outcome;
}

const QUICK_MS = 2;

export function randomOutage(random: () => number, from: number): Outage {
  const kind = kinds[Math.floor(random() * kinds.length)] as Outage['kind'];
  const seconds = kind === 'a restart' ? 1 + 4 * random() : 1 + 29 * random();
  const to = from + 1000 * seconds;
  return { kind, from, to, part: 0.05 + 0.9 * random(), timeout: 500 + 2500 * random() };
}

/** Changes the dependency when the outage begins, and changes it back when it ends. */
export function schedule(
  { kind, from, to }: Outage,
  simulation: Simulation,
  dependency: Dependency,
  capacity: number,
): void {
  const change = (at: number, changed: number, slowness: number) =>
    simulation.setTimeout(() => dependency.change(changed, slowness), at);
  if (kind === 'calls take ten times as long') change(from, capacity, 10);
  if (kind === 'a tenth of the capacity') change(from, capacity / 10, 1);
  // A server that has just started is slow for a second.
  if (kind === 'a restart') change(to - 1000, capacity, 3);
  change(to, capacity, 1);
}

/** How a call that starts now fails; undefined if it does not. */
export function failureOf(
  { kind, from, to, part, timeout }: Outage,
  now: number,
  time: number,
  random: () => number,
): Failure | undefined {
  if (now < from || now >= to) return;
  const quick = QUICK_MS * (0.5 + random());
  switch (kind) {
    case 'some calls fail':
      return random() < part ? { after: time * random(), outcome: 'dropped' } : undefined;
    case 'all calls fail':
      return { after: time * (0.5 + random()), outcome: 'dropped' };
    case 'all calls fail quickly':
      return { after: quick, outcome: 'dropped' };
    case 'quick failures that count as success':
      return { after: quick, outcome: 'ok' };
    case 'calls time out':
      return { after: timeout, outcome: 'dropped' };
    case 'calls hang':
      return { after: to - now + time * random(), outcome: random() < 0.5 ? 'ok' : 'ignored' };
    case 'a restart':
      return now < to - 1000 ? { after: quick, outcome: 'dropped' } : undefined;
    default:
      return;
  }
}
