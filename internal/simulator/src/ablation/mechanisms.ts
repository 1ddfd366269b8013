/** A mechanism of a limit, and the code that disables it. */
export interface Mechanism {
  readonly name: string;
  /** In `packages/core/src`. */
  readonly file: string;
  /** The code to replace, which occurs exactly once in the file (a test checks this), and its replacement. */
  readonly on: string;
  readonly off: string;
}

/** The mechanisms of the default limit. */
export const mechanisms: readonly Mechanism[] = [
  {
    name: 'A turn starts a bounded amount of work',
    file: 'pacing/turn.ts',
    on: 'return work * busyPart >= this.#budget;',
    off: 'return false;',
  },
  {
    name: 'A request that has waited is replaced within the turn',
    file: 'pacing/turn.ts',
    on: 'this.#mayReplace = hasWaited && inflight < this.inflightBefore;',
    off: '',
  },
  {
    name: 'A turn has room for as much work as other work takes',
    file: 'pacing/turn.ts',
    on: 'const isKnown = this.inflightBefore === 0 && inflight === 0;',
    off: 'const isKnown = false;',
  },
  {
    name: 'Work in flight is bounded',
    file: 'pacing/pace.ts',
    on: 'this.#isUsedUp = inflight > 0 && inflight * perRequest > this.#allowed;',
    off: '',
  },
  {
    name: 'More work is allowed while the loop is busy but turns are short',
    file: 'pacing/pace.ts',
    on: 'const BUSY_GROWTH = 0.3;',
    off: 'const BUSY_GROWTH = 0;',
  },
  {
    name: 'Starts are spaced',
    file: 'pacing/pace.ts',
    on: 'this.#isSpaced = excess > 0;',
    off: '',
  },
  {
    name: 'Starts may get ahead while turns are short',
    file: 'pacing/pace.ts',
    on: 'else if (this.#isSpaced) this.#lead += BUSY_GROWTH * (idle + work);',
    off: '',
  },
  {
    name: 'Starts pause while connections are accepted',
    file: 'pacing/accept-pause.ts',
    on: 'this.isActive = isLasting && this.#timeLeft > (this.isActive ? 0 : MIN_MS);',
    off: '',
  },
  {
    name: 'The pause does not count the time in which requests compute',
    file: 'pacing/accept-pause.ts',
    on: 'const computing = wereInflight ? busyPart * Math.max(0, elapsed - TURN_MS) : 0;',
    off: 'const computing = 0;',
  },
  {
    name: 'While connections are accepted, a busy loop counts as behind unless it does other work',
    file: 'pacing/pace.ts',
    on: 'const accepts = this.#acceptPause.since !== undefined;',
    off: 'const accepts = false;',
  },
  {
    name: 'Earlier work of the loop does not count as the cost of a request',
    file: 'pacing/work-cost.ts',
    on: 'const isAfterGap = this.inflight === 0 && now - this.#updatedAt > GAP_MS;',
    off: 'const isAfterGap = false;',
  },
  {
    name: 'Waiters of a burst wait for longer',
    file: 'pacing/max-wait.ts',
    on: 'const isBurst = since < this.#burstAt + BURST_MS;',
    off: 'const isBurst = false;',
  },
  {
    name: 'More than a hundred waiters do not count as a burst',
    file: 'pacing/max-wait.ts',
    on: 'if (length > MAX_BURST) this.#burstAt = -Infinity;',
    off: '',
  },
  {
    name: 'A queue that no request follows is not shed',
    file: 'pacing/max-wait.ts',
    on: 'return this.loop.idle() - this.#idleAtLatest >= MAX_TURN_MS;',
    off: 'return false;',
  },
  {
    name: 'A queue that can be served soon is not shed',
    file: 'pacing/max-wait.ts',
    on: 'const isShort = duration > 0 && queued * duration <= USUAL_WAIT_MS * Math.max(1, inflight);',
    off: 'const isShort = false;',
  },
  {
    name: 'Work that makes no progress stops counting',
    file: 'pacing/progress.ts',
    on: 'const step = this.#step;',
    off: 'const step = 0;',
  },
  {
    name: 'Once older work finishes, one request stops counting next',
    file: 'pacing/progress.ts',
    on: 'if (startedAt < this.#steppedAt) this.#step = 1;',
    off: '',
  },
  {
    name: 'Starts may be ahead by the length of the last turn',
    file: 'pacing/pace.ts',
    on: 'Math.max(TURN_MS, interval, this.#turn.lastLength)',
    off: 'Math.max(TURN_MS, interval)',
  },
  {
    name: 'Starts that are ahead are bounded by the work in flight',
    file: 'pacing/pace.ts',
    on: 'Math.min(this.#next - now, this.cost.inflight * interval)',
    off: 'this.#next - now',
  },
  {
    name: 'What the loop delays is not the duration of work',
    file: 'pacing/pace.ts',
    on: 'if (this.#awaitedAt === undefined) return 0;',
    off: 'if (this.#awaitedAt === undefined || now > 0) return 0;',
  },
  {
    name: 'A few connections that arrive together cause no pause',
    file: 'pacing/accept-pause.ts',
    on: 'const isLasting = now - (this.since ?? now) > TURN_MS;',
    off: 'const isLasting = hasAccepted;',
  },
  {
    name: 'A pause has a minimum length',
    file: 'pacing/accept-pause.ts',
    on: 'const MIN_MS = 30;',
    off: 'const MIN_MS = 0;',
  },
  {
    name: 'Some of a pause is earned while the loop is idle',
    file: 'pacing/accept-pause.ts',
    on: 'const MIN_PART = 0.3;',
    off: 'const MIN_PART = 0;',
  },
  {
    name: 'A standstill has twelve usual gaps',
    file: 'pacing/progress.ts',
    on: 'const STANDSTILL_GAPS = 12;',
    off: 'const STANDSTILL_GAPS = 0;',
  },
];
