import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault, FaultContext } from './faults/fault.ts';
import { stamp } from './log/stamp.ts';
import { shuffled } from './rng.ts';
import { within } from './within.ts';

/** The faults of a round, and the load during them. Durations are in milliseconds. */
export interface FaultSchedule {
  readonly duration: number;
  /** Average time from one fault to the next. */
  readonly meanInterval: number;
  /** Maximum pause of a caller between two calls. It determines how long the queue is. */
  readonly pause: number;
  /** Whether the round begins with a single fault. */
  readonly startsWithOne: boolean;
}

/** The nemesis: injects every fault once before it repeats any. Resolves when all have been undone. */
export async function injectAll(
  faults: readonly Fault[],
  { duration, meanInterval }: FaultSchedule,
  context: FaultContext,
): Promise<void> {
  const { rng } = context;
  const until = stamp() + duration;
  const inProgress = new Set<Promise<void>>();
  let alone: Promise<void> = Promise.resolve();
  let deck: Fault[] = [];
  while (stamp() < until) {
    if (deck.length === 0) deck = shuffled(faults, rng);
    const fault = deck.pop() as Fault;
    if (fault.alone) await alone;
    const injection = injectAndLog(fault, context);
    if (fault.alone) alone = injection;
    inProgress.add(injection);
    await sleep(rng.between(0, 2 * meanInterval));
  }
  await Promise.all(inProgress);
}

/** Injects each harmless fault, one after the other. */
export async function injectHarmless(
  faults: readonly Fault[],
  context: FaultContext,
): Promise<void> {
  for (const fault of shuffled(faults, context.rng)) {
    if (!fault.harmless) continue;
    await injectAndLog(fault, context, Infinity);
    await sleep(300);
  }
}

/**
 * Injects a single fault that must cost no permit. Then waits for one lease duration, so that a lost permit would be
 * noticed.
 */
export async function injectOne(faults: readonly Fault[], context: FaultContext): Promise<void> {
  const { maxDurationWithoutLoss, rng, lease } = context;
  const fault = rng.pick(faults.filter(({ name }) => name in maxDurationWithoutLoss));
  if (fault === undefined) return;
  await injectAndLog(fault, context, maxDurationWithoutLoss[fault.name]);
  await sleep(lease);
}

/** @param maxDurationWithoutLoss Maximum duration of the fault in milliseconds for which it must cost no permit. */
async function injectAndLog(
  fault: Fault,
  context: FaultContext,
  maxDurationWithoutLoss = -1,
): Promise<void> {
  const from = stamp();
  try {
    await within(20_000, fault.name, fault.inject(context));
  } catch (error) {
    const what = `${fault.name}: ${(error as Error).stack}`;
    context.note({ kind: 'failed', at: stamp(), worker: 'the nemesis', what });
  }
  const at = stamp();
  context.note({
    kind: 'fault',
    at,
    from,
    name: fault.name,
    isLossless: at - from <= maxDurationWithoutLoss,
  });
}
