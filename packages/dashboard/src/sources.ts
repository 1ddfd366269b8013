import type { GateGuard, Handle, Limiter } from '@headgate/core';

/**
 * The ids by which a page refers to limits. An id is never used again, so that no other limit is mistaken for it.
 */
const ids = new WeakMap<object, number>();
let latestId = 0;

export function idOf(source: object): number {
  const known = ids.get(source);
  if (known !== undefined) return known;
  ids.set(source, ++latestId);
  return latestId;
}

/** The limiters that the page shows, to operate on them. */
export function limitersOf(source: Handle): readonly Limiter[] {
  return Object.values(source.limiters);
}

/** What the page shows of a source, to operate on it: its limiters, or its guard if it has no limits. */
export function operablesOf(source: Handle): readonly (Limiter | GateGuard)[] {
  return [soleGuardOf(source) ?? [], limitersOf(source)].flat();
}

/** With limits, shadow mode in the row of the gate could be mistaken for that of its limits. */
export function soleGuardOf(source: Handle): GateGuard | undefined {
  return limitersOf(source).length === 0 ? source.guard : undefined;
}
