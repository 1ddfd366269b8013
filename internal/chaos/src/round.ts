import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault, FaultContext } from './faults/fault.ts';
import { type FaultSchedule, injectAll, injectHarmless, injectOne } from './inject.ts';
import type { EventLog } from './log/event-log.ts';
import { stamp } from './log/stamp.ts';
import type { Operator } from './operator.ts';

/** Minimum milliseconds from the end of the load until every permit must be available. */
const MIN_REST = 1_000;

export interface RoundOptions {
  readonly context: FaultContext;
  readonly faults: readonly Fault[];
  readonly limits: readonly number[];
  readonly eventLog: EventLog;
  /** Duration of the calm phase before the faults, in milliseconds. */
  readonly calm: number;
  readonly schedule: FaultSchedule;
  /** Operates one of the limits, if the store supports that. */
  readonly operator: Operator | undefined;
}

/**
 * Runs the load without faults, with one fault, and with all faults. Then there are no faults, until every permit must
 * be available.
 */
export async function round(options: RoundOptions): Promise<void> {
  const { context, faults, eventLog } = options;
  const { workers, lease } = context;
  await workers.allReady();
  workers.load(options.schedule.pause);
  // The first call only opens connections.
  await sleep(300);
  const operating = options.operator?.run();
  const from = stamp();
  await sleep(options.calm);
  await injectHarmless(faults, context);
  let calmUntil = stamp();
  if (options.schedule.startsWithOne) await injectOne(faults, context);
  await injectAll(faults, options.schedule, context);
  const last = stamp();
  if (faults.every(({ harmless }) => harmless)) calmUntil = last;
  eventLog.note({ kind: 'calm', at: calmUntil, from });
  options.operator?.stop();
  await operating;
  if (options.operator !== undefined) await agree(options.operator, context);
  workers.load(undefined);
  await sleep(Math.max(last + lease + 1_000 - stamp(), MIN_REST));
  await probe(options);
  // Messages sent before may still be in transit.
  await sleep(100);
}

/** Checks, without faults, that all processes know how the limit is operated. Then returns it to normal operation. */
async function agree(operator: Operator, { workers, lease, timeout }: FaultContext): Promise<void> {
  await workers.allReady();
  await sleep(lease);
  await operator.compare(timeout);
  await operator.reset(lease, timeout);
}

/** Acquires the whole limit, kills a process that holds a part of it, and releases the rest. */
async function probe({ context, limits, eventLog }: RoundOptions): Promise<void> {
  const { workers, environment, lease } = context;
  const from = stamp();
  const admitted = await Promise.all(limits.map((limit) => workers.probe(limit)));
  const at = stamp();
  const [first = 1] = limits;
  const recovered = await workers.killAndRecover(first, lease + 1_000);
  eventLog.note({ kind: 'recovered', from: at, at: stamp(), limit: first, admitted: recovered });
  workers.sendToAll({ release: true });
  await sleep(500);
  for (const [i, limit] of limits.entries()) {
    const { inflight, queued } = await environment.store.stats({ name: `chaos-${limit}` });
    eventLog.note({
      kind: 'probed',
      from,
      at,
      limit,
      admitted: admitted[i] ?? 0,
      inflight,
      queued,
    });
  }
}
