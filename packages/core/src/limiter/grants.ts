import type { Pool } from './pool.ts';

const ready: Pool[] = [];
let granting = false;

/**
 * Serves the line of a pool that may have room. One loop for the whole process: a grant that releases another
 * permit at once, and so on down the line, would else recurse until the stack is full.
 */
export function grantFrom(pool: Pool): void {
  if (pool.ready) return;
  pool.ready = true;
  if (granting) {
    ready.push(pool);
    return;
  }
  granting = true;
  serve(pool);
  if (ready.length > 0) {
    // The array grows while it is walked.
    for (const next of ready) serve(next);
    ready.length = 0;
  }
  granting = false;
}

function serve(pool: Pool): void {
  pool.limiter.serve(pool);
  pool.ready = false;
}
