import { throwLater } from '../errors.ts';

/** A line that may have room for its next. */
export interface Served {
  /** Waits for its turn below. */
  ready: boolean;
  serve(): void;
}

const ready: Served[] = [];
let granting = false;

/**
 * Serves a line. One loop for the whole process: a grant that releases another permit at once, and so on down
 * the line, would else recurse until the stack is full.
 */
export function grantFrom(line: Served): void {
  if (line.ready) return;
  line.ready = true;
  if (granting) {
    ready.push(line);
    return;
  }
  granting = true;
  serve(line);
  serveAll();
  granting = false;
}

/** Serves the lines only after all of `change` is done: who is let in by a part of it must find the rest done, too. */
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
  // The array grows while it is walked.
  for (const line of ready) serve(line);
  ready.length = 0;
}

function serve(line: Served): void {
  try {
    line.serve();
  } catch (error) {
    throwLater(error);
  }
  line.ready = false;
}
