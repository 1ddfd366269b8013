import { setTimeout as sleep } from 'node:timers/promises';
import type { Dice } from './dice.ts';
import type { Fault, Stage } from './faults/fault.ts';
import { stamp } from './log/stamp.ts';
import { within } from './within.ts';

/** Milliseconds. */
export interface Weather {
  readonly lasts: number;
  /** From one fault to the next, on average. */
  readonly pace: number;
  /** From a caller's call to its next one, at most: whether there is a crowd, or hardly anyone waits. */
  readonly pause: number;
  /** Whether it begins with one fault by itself. */
  readonly gust: boolean;
}

/** Lets faults strike, each of them before any comes again; resolves when all are undone. */
export async function storm(
  faults: readonly Fault[],
  { lasts, pace }: Weather,
  stage: Stage,
): Promise<void> {
  const { dice } = stage;
  const until = stamp() + lasts;
  const underWay = new Set<Promise<void>>();
  let alone: Promise<void> = Promise.resolve();
  let deck: Fault[] = [];
  while (stamp() < until) {
    if (deck.length === 0) deck = shuffled(faults, dice);
    const fault = deck.pop() as Fault;
    if (fault.alone) await alone;
    const strike = struck(fault, stage);
    if (fault.alone) alone = strike;
    underWay.add(strike);
    await sleep(dice.between(0, 2 * pace));
  }
  await Promise.all(underWay);
}

/** Lets each of those faults strike that must be harmless, one after the other. */
export async function breeze(faults: readonly Fault[], stage: Stage): Promise<void> {
  for (const fault of shuffled(faults, stage.dice)) {
    if (!fault.harmless) continue;
    await struck(fault, stage, Infinity);
    await sleep(300);
  }
}

/** Lets one fault strike that costs no permit by itself, and waits for a lease: what it costs is lost by then. */
export async function gust(faults: readonly Fault[], stage: Stage): Promise<void> {
  const { costless, dice, lease } = stage;
  const fault = dice.pick(faults.filter(({ name }) => name in costless));
  if (fault === undefined) return;
  await struck(fault, stage, costless[fault.name]);
  await sleep(lease);
}

/** @param costless For how many milliseconds it may last and cost no permit. */
async function struck(fault: Fault, stage: Stage, costless = -1): Promise<void> {
  const from = stamp();
  try {
    await within(20_000, fault.name, fault.strike(stage));
  } catch (error) {
    const what = `${fault.name}: ${(error as Error).stack}`;
    stage.note({ kind: 'failed', at: stamp(), worker: 'the storm', what });
  }
  const at = stamp();
  stage.note({ kind: 'fault', at, from, name: fault.name, isCostless: at - from <= costless });
}

function shuffled<T>(list: readonly T[], dice: Dice): T[] {
  const rest = [...list];
  return list.map(() => rest.splice(dice.below(rest.length), 1)[0] as T);
}
