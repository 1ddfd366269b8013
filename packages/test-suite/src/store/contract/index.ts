import type { StoreWorld } from '../store-world.ts';
import { admission } from './admission.ts';
import { batches } from './batches.ts';
import { capabilities } from './capabilities.ts';
import { clockSetBack } from './clock-set-back.ts';
import { closing } from './closing.ts';
import { declarations } from './declarations.ts';
import { fencing } from './fencing.ts';
import { hanging } from './hanging.ts';
import { holding } from './holding.ts';
import { lostState } from './lost-state.ts';
import { model } from './model.ts';
import { names } from './names.ts';
import { operations } from './operations.ts';
import { pauses } from './pauses.ts';
import { queue } from './queue.ts';
import { recalls } from './recalls.ts';
import { registering } from './registering.ts';
import { repeats } from './repeats.ts';
import { resizing } from './resizing.ts';
import { restarting } from './restarting.ts';
import { stats } from './stats.ts';
import { waiting } from './waiting.ts';

type DefineTests = (world: StoreWorld) => void;

/** The contract of a store with these capabilities, by topic. */
export function contractOf({
  can,
  driver,
}: StoreWorld): [topic: string, defineTests: DefineTests][] {
  const topics: Record<string, DefineTests> = {
    capabilities,
    admission,
    'the queue': queue,
    'repeated operations': repeats,
    'held leases': holding,
    'queued leases': waiting,
    ...(driver.wipe && { 'lost state': lostState }),
    ...(driver.setBack && { 'a clock that is set back': clockSetBack }),
    'declared limits': declarations,
    'operated limits': operations,
    'paused limits': pauses,
    'fencing tokens': fencing,
    resizing,
    'permits granted without the store': registering,
    ...(can.recall && { recalls }),
    'names and keys': names,
    batches,
    stats,
    closing,
    ...(driver.hang && { 'a hanging store': hanging }),
    ...(driver.refuse && { 'a restarting store': restarting }),
    'a model': model,
  };
  const { topics: chosen = Object.keys(topics) } = driver;
  return chosen.map((topic) => {
    const defineTests = topics[topic];
    if (defineTests === undefined) throw new Error(`the contract has no topic "${topic}"`);
    return [topic, defineTests];
  });
}
