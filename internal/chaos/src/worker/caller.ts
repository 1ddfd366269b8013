import { setTimeout as sleep } from 'node:timers/promises';
import { type Limiter, type Permit, RejectedError } from '@headgate/core';
import { stamp } from '../log/stamp.ts';
import { operatedLimit } from '../operated-limit.ts';
import type { Rng } from '../rng.ts';
import type { Resource } from './resource.ts';
import { describeError, note } from './send.ts';

/** Shared by the callers of a worker. */
export interface CallerContext {
  readonly worker: string;
  readonly lease: number;
  /** Maximum milliseconds between two calls. */
  readonly pause: number;
  readonly rng: Rng;
  readonly resource: Resource;
  /** Aborts when the callers must stop. */
  readonly stop: AbortSignal;
  /** Counts the worker's calls. */
  readonly next: () => number;
}

/** Acquires a permit, works and releases it, repeatedly, until the signal aborts. The first work may be long. */
export async function call(
  limit: number,
  limiter: Limiter,
  context: CallerContext,
  isLong: boolean,
): Promise<void> {
  const { rng, stop } = context;
  for (let isFirst = isLong; !stop.aborted; isFirst = false) {
    await rest(rng.between(0, context.pause), stop);
    if (stop.aborted) return;
    // Some calls have a queue timeout and work that are both much shorter than a lease.
    const isHasty = rng.chance(0.15);
    const about = { worker: context.worker, limit, call: context.next() };
    // An operator may have lowered the limit.
    const weight = 1 + rng.below(limiter.limit);
    const queueTimeout = Math.round(
      isHasty ? briefly(context) : rng.between(200, 3 * context.lease),
    );
    const signal = rng.chance(0.1) ? abortsAfter(stop, rng.between(0, context.lease)) : stop;
    note({ kind: 'requested', ...about, at: stamp(), weight, queueTimeout });
    try {
      const permit = await limiter.acquire({ weight, queueTimeout, signal });
      const duration =
        limit === operatedLimit
          ? workDurationIfOperated(context)
          : workDuration(context, isFirst, isHasty);
      await work(permit, about, context, duration);
    } catch (error) {
      noteRejection(error, signal, about);
      // A rejected caller waits before it tries again.
      await sleep(rng.between(20, 100));
    }
  }
}

interface About {
  readonly worker: string;
  readonly limit: number;
  readonly call: number;
}

async function work(
  permit: Permit,
  about: About,
  context: CallerContext,
  duration: number,
): Promise<void> {
  const { signal } = permit;
  const fencing = fencingOf(permit);
  const granted = stamp();
  note({ kind: 'granted', ...about, at: granted, fencing });
  let atWork = true;
  const end = (at: number, aborted: boolean) => {
    if (!atWork) return;
    atWork = false;
    note({ kind: 'ended', ...about, at, aborted });
  };
  // A permit that is lost before its work begins does not count.
  if (signal.aborted) end(granted, true);
  else signal.addEventListener('abort', () => end(stamp(), true), { once: true });
  const until = granted + duration;
  do {
    if (about.limit === 1 && atWork) await context.resource.write(about.limit, about.call, fencing);
    const left = until - stamp();
    if (left > 0 && atWork) await rest(Math.min(20, left), AbortSignal.any([signal, context.stop]));
  } while (atWork && stamp() < until && !context.stop.aborted);
  end(stamp(), false);
  permit.release();
  note({ kind: 'released', ...about, at: stamp() });
}

/** Mostly short. */
function workDuration(context: CallerContext, isLong: boolean, isHasty: boolean): number {
  const { rng } = context;
  if (isLong) return long(context);
  if (isHasty) return 3 * briefly(context);
  if (rng.chance(0.03)) return long(context);
  return rng.chance(0.2) ? rng.between(50, 200) : rng.between(0, 30);
}

/** Rarely long: shadow mode grants permits beyond the limit, and afterwards other callers wait for all of them. */
function workDurationIfOperated(context: CallerContext): number {
  const { rng } = context;
  return rng.chance(0.003) ? long(context) : rng.between(0, 50);
}

/** Returns a duration so short that no lease is renewed meanwhile. */
function briefly({ rng, lease }: CallerContext): number {
  return lease * rng.between(0.1, 0.3);
}

/** Returns a duration longer than a lease lasts without a renewal. */
function long({ rng, lease }: CallerContext): number {
  return rng.between(lease, 2 * lease);
}

function abortsAfter(stop: AbortSignal, after: number): AbortSignal {
  return AbortSignal.any([stop, AbortSignal.timeout(Math.round(after))]);
}

async function rest(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}

function fencingOf(permit: Permit): string | undefined {
  const { fencing } = permit as Permit & { fencing?: bigint };
  return fencing?.toString();
}

function noteRejection(error: unknown, signal: AbortSignal, about: About): void {
  const at = stamp();
  const { rejection, code } = error as { rejection?: { reason: string }; code?: string };
  if (rejection !== undefined) {
    const why = error instanceof RejectedError ? rejection.reason : `${rejection.reason} ${code}`;
    note({ kind: 'rejected', ...about, at, reason: why });
  } else if (signal.aborted && error === signal.reason) {
    note({ kind: 'withdrawn', ...about, at });
  } else {
    note({ kind: 'rejected', ...about, at, reason: `${code}` });
    note({ kind: 'failed', at, worker: about.worker, what: `acquire: ${describeError(error)}` });
  }
}
