import { setTimeout as sleep } from 'node:timers/promises';
import type { Rng } from './dice.ts';
import type { Fault, Stage } from './faults/fault.ts';
import { stamp } from './log/stamp.ts';
import { within } from './within.ts';

/** Milliseconds. */
export interface Weather {
  readonly lasts: number;
  /** Average time from one fault to the next. */
  readonly pace: number;
  /** Maximum pause of a caller between two calls; determines how long the queue is. */
  readonly pause: number;
  /** Whether it begins with a single fault. */
  readonly gust: boolean;
}

/** The nemesis: injects every fault once before any is repeated; resolves when all have been undone. */
export async function storm(
  faults: readonly Fault[],
  { lasts, pace }: Weather,
  stage: Stage,
): Promise<void> {
  const { rng } = stage;
  const until = stamp() + lasts;
  const underWay = new Set<Promise<void>>();
  let alone: Promise<void> = Promise.resolve();
  let deck: Fault[] = [];
  while (stamp() < until) {
    if (deck.length === 0) deck = shuffled(faults, rng);
    const fault = deck.pop() as Fault;
    if (fault.alone) await alone;
    const strike = struck(fault, stage);
    if (fault.alone) alone = strike;
    underWay.add(strike);
    await sleep(rng.between(0, 2 * pace));
  }
  await Promise.all(underWay);
}

/** Injects each harmless fault, one after the other. */
export async function breeze(faults: readonly Fault[], stage: Stage): Promise<void> {
  for (const fault of shuffled(faults, stage.rng)) {
    if (!fault.harmless) continue;
    await struck(fault, stage, Infinity);
    await sleep(300);
  }
}

/**
 * Injects a single fault that must cost no permit. Then waits for one lease duration, so that a lost permit would be
 * noticed.
 */
export async function gust(faults: readonly Fault[], stage: Stage): Promise<void> {
  const { costless, rng, lease } = stage;
  const fault = rng.pick(faults.filter(({ name }) => name in costless));
  if (fault === undefined) return;
  await struck(fault, stage, costless[fault.name]);
  await sleep(lease);
}

/** @param costless Maximum duration in milliseconds for which it must cost no permit. */
async function struck(fault: Fault, stage: Stage, costless = -1): Promise<void> {
  const from = stamp();
  try {
    await within(20_000, fault.name, fault.strike(stage));
  } catch (error) {
    const what = `${fault.name}: ${(error as Error).stack}`;
    stage.note({ kind: 'failed', at: stamp(), worker: 'the nemesis', what });
  }
  const at = stamp();
  stage.note({ kind: 'fault', at, from, name: fault.name, isCostless: at - from <= costless });
}

function shuffled<T>(list: readonly T[], rng: Rng): T[] {
  const rest = [...list];
  return list.map(() => rest.splice(rng.below(rest.length), 1)[0] as T);
}
