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
  if (ready.length > 0) {
    // The array grows while it is walked.
    for (const next of ready) serve(next);
    ready.length = 0;
  }
  granting = false;
}

function serve(line: Served): void {
  line.serve();
  line.ready = false;
}
