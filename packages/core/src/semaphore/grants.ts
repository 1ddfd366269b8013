import { throwLater } from '../errors.ts';

/** A queue whose next waiter may be granted. */
export interface GrantSource {
  /** Whether it is scheduled to be served. */
  isScheduled: boolean;
  serve(): void;
}

let scheduled: GrantSource[] = [];
let granting = false;

/**
 * Serves a queue. All queues share one loop: a grant may release another permit at once, and a chain of these would
 * otherwise recurse until the stack overflows.
 */
export function grantFrom(queue: GrantSource): void {
  if (queue.isScheduled) return;
  queue.isScheduled = true;
  if (granting) {
    scheduled.push(queue);
    return;
  }
  granting = true;
  serve(queue);
  serveAll();
  granting = false;
}

/** Serves queues only after `change` is complete, so that no granted waiter observes a partial change. */
export function deferGrants(change: () => void): void {
  if (granting) return change();
  granting = true;
  try {
    change();
  } finally {
    serveAll();
    granting = false;
  }
}

/**
 * Runs `change`, and serves the queues that it affects before it returns, even while other queues are being served. For
 * simulations, in which each grant happens at its own time.
 */
export function isolateGrants(change: () => void): void {
  const outer = [scheduled, granting] as const;
  scheduled = [];
  granting = false;
  try {
    change();
  } finally {
    [scheduled, granting] = outer;
  }
}

function serveAll(): void {
  if (scheduled.length === 0) return;
  // The array may grow during the iteration.
  for (const queue of scheduled) serve(queue);
  scheduled.length = 0;
}

function serve(queue: GrantSource): void {
  try {
    queue.serve();
  } catch (error) {
    throwLater(error);
  }
  queue.isScheduled = false;
}
