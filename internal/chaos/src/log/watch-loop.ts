import { readFileSync } from 'node:fs';
import { childrenOf } from '@headgate/test-servers';
import type { Event } from './event.ts';
import { stamp } from './stamp.ts';

/** Minimum duration in milliseconds of a blocked event loop that is recorded. */
const stall = 100;

/** The name under which the verifier records its own pauses. Its process also runs the proxies. */
export const verifier = 'the verifier';

/** The name under which pauses of the store's server are recorded. */
export const server = 'the server';

/** The name under which changes of the machine's clock are recorded. Servers end leases by this clock. */
export const machineClock = "the machine's clock";

/**
 * Records when this process's event loop was blocked, because the process was stopped or the machine is busy. Returns a
 * function that ends the recording.
 */
export function watchLoop(worker: string, note: (event: Event) => void): () => void {
  let last = stamp();
  const timer = setInterval(() => {
    const now = stamp();
    if (now - last > stall) note({ kind: 'stalled', at: now, worker, from: last });
    last = now;
  }, 20);
  return () => clearInterval(timer);
}

/**
 * Records when the machine's clock was set, as happens after a virtual machine was paused. Returns a function that ends
 * the recording.
 */
export function watchClock(note: (event: Event) => void): () => void {
  let last = { at: stamp(), time: Date.now() };
  const timer = setInterval(() => {
    const next = { at: stamp(), time: Date.now() };
    const step = next.time - last.time - (next.at - last.at);
    if (Math.abs(step) > stall)
      note({ kind: 'stalled', at: next.at, worker: machineClock, from: last.at });
    last = next;
  }, stall);
  return () => clearInterval(timer);
}

/**
 * Records when a process of the server had to wait for a core: PostgreSQL has one for each connection, and all wait for
 * the one that holds a lock. Linux reports this for each process; elsewhere nothing is recorded. Returns a function that
 * ends the recording.
 */
export function watchServer(
  pid: () => number | undefined,
  note: (event: Event) => void,
): () => void {
  const sample = () => ({ at: stamp(), waits: waitsForCore(pid()) });
  let last = sample();
  const timer = setInterval(() => {
    const next = sample();
    const isStarved = [...next.waits].some(
      ([id, waited]) => waited - (last.waits.get(id) ?? 0) > stall / 2,
    );
    if (isStarved) note({ kind: 'stalled', at: next.at, worker: server, from: last.at });
    last = next;
  }, stall);
  return () => clearInterval(timer);
}

/** Milliseconds for which the main threads of a process and of its children could have run, but had no core. */
function waitsForCore(pid: number | undefined): Map<number, number> {
  const isKnown = pid !== undefined && process.platform === 'linux';
  const processes = isKnown ? [pid, ...childrenOf(pid)] : [];
  return new Map(processes.map((id) => [id, waitedForCore(id)]));
}

function waitedForCore(pid: number): number {
  try {
    const [, waited] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
    return Number(waited) / 1e6;
  } catch {
    // The process has ended meanwhile.
    return 0;
  }
}
