import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault, Stage } from './faults/fault.ts';
import type { Record } from './log/record.ts';
import { stamp } from './log/stamp.ts';
import { breeze, gust, storm, type Weather } from './storm.ts';

export interface RoundOptions {
  readonly stage: Stage;
  readonly faults: readonly Fault[];
  readonly limits: readonly number[];
  readonly record: Record;
  /** Duration of the calm phase before the faults, in milliseconds. */
  readonly calm: number;
  readonly weather: Weather;
}

/** Load without faults, with one fault, and with all faults; then no faults, until every permit must be available. */
export async function round(options: RoundOptions): Promise<void> {
  const { stage, faults, record } = options;
  const { workers, lease } = stage;
  await workers.allReady();
  workers.load(options.weather.pause);
  // The first call only opens connections.
  await sleep(300);
  const from = stamp();
  await sleep(options.calm);
  await breeze(faults, stage);
  let peace = stamp();
  if (options.weather.gust) await gust(faults, stage);
  await storm(faults, options.weather, stage);
  const last = stamp();
  if (faults.every(({ harmless }) => harmless)) peace = last;
  record.note({ kind: 'calm', at: peace, from });
  workers.load(undefined);
  await sleep(last + lease + 1_000 - stamp());
  await probe(options);
  // Messages of that time may still be on their way.
  await sleep(100);
}

/** Acquires the whole limit, kills a process that holds a part of it, and releases the rest. */
async function probe({ stage, limits, record }: RoundOptions): Promise<void> {
  const { workers, ground, lease } = stage;
  const from = stamp();
  const admitted = await Promise.all(limits.map((limit) => workers.probe(limit)));
  const at = stamp();
  const [first = 1] = limits;
  const inherited = await workers.inherit(first, lease + 1_000);
  const had = { limit: first, admitted: inherited };
  record.note({ kind: 'inherited', from: at, at: stamp(), ...had });
  workers.tellAll({ release: true });
  await sleep(500);
  for (const [i, limit] of limits.entries()) {
    const { inflight, queued } = await ground.store.stats({ name: `chaos-${limit}` });
    const found = { admitted: admitted[i] ?? 0, inflight, queued };
    record.note({ kind: 'probed', from, at, limit, ...found });
  }
}
