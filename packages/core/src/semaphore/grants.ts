import { throwLater } from '../errors.ts';

/** A queue whose next waiter may be granted. */
export interface GrantSource {
  /** Whether it is scheduled to be served. */
  isScheduled: boolean;
  serve(): void;
}

const scheduled: GrantSource[] = [];
let granting = false;
const afterwards: (() => void)[] = [];

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
  finish();
}

/** Serves queues only after `change` is complete, so that no granted waiter observes a partial change. */
export function deferGrants(change: () => void): void {
  if (granting) return change();
  granting = true;
  try {
    change();
  } finally {
    finish();
  }
}

/** Calls back once no queue is being served. For simulations, whose own grants each happen at their own time. */
export function afterGrants(callback: () => void): void {
  if (granting) afterwards.push(callback);
  else callback();
}

function finish(): void {
  if (scheduled.length > 0) {
    // The array may grow during the iteration.
    for (const queue of scheduled) serve(queue);
    scheduled.length = 0;
  }
  granting = false;
  if (afterwards.length > 0) for (const callback of afterwards.splice(0)) callback();
}

function serve(queue: GrantSource): void {
  try {
    queue.serve();
  } catch (error) {
    throwLater(error);
  }
  queue.isScheduled = false;
}
