import { throwLater } from '../errors.ts';

/** A queue whose next waiter may be granted. */
export interface Served {
  /** Whether it is scheduled to be served. */
  ready: boolean;
  serve(): void;
}

const ready: Served[] = [];
let granting = false;

/**
 * Serves a queue. There is one loop for the whole process, because a chain of grants that each release another
 * permit at once would otherwise recurse until the stack overflows.
 */
export function grantFrom(queue: Served): void {
  if (queue.ready) return;
  queue.ready = true;
  if (granting) {
    ready.push(queue);
    return;
  }
  granting = true;
  serve(queue);
  serveAll();
  granting = false;
}

/** Serves queues only after `change` is complete, so that no granted waiter observes a partial change. */
export function together(change: () => void): void {
  if (granting) return change();
  granting = true;
  try {
    change();
  } finally {
    serveAll();
    granting = false;
  }
}

function serveAll(): void {
  if (ready.length === 0) return;
  // The array may grow during the iteration.
  for (const queue of ready) serve(queue);
  ready.length = 0;
}

function serve(queue: Served): void {
  try {
    queue.serve();
  } catch (error) {
    throwLater(error);
  }
  queue.ready = false;
}
