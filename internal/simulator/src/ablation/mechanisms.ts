/** A mechanism of the default limit, and the code that disables it. */
export interface Mechanism {
  readonly name: string;
  /** In `packages/core/src`. */
  readonly file: string;
  /** The code to replace, which occurs exactly once in the file (a test checks this), and its replacement. */
  readonly on: string;
  readonly off: string;
}

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
    on: 'return this.loop.idle() - this.#idleAtLatest >= END_IDLE_MS;',
    off: 'return false;',
  },
  {
    name: 'A queue that can be served soon is not shed',
    file: 'pacing/max-wait.ts',
    on: 'const isShort = duration > 0 && queued * duration <= MIN_MS * Math.max(1, inflight);',
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
    name: 'At first, the adaptive limit rises with each finished request',
    file: 'limits/decide.ts',
    on: '  isStarting: true,',
    off: '  isStarting: false,',
  },
  {
    name: 'At first, it rises by at least 16 per second',
    file: 'limits/adaptive.ts',
    on: 'const MIN_RISE_PER_SECOND = 16;',
    off: 'const MIN_RISE_PER_SECOND = 0;',
  },
  {
    name: 'The first overload lowers it below the capacity while the baseline is uncertain',
    file: 'limits/decide.ts',
    on: 'if (isClear) return endStart(state, seen);',
    off: 'if (isClear) return lower(state, seen, min);',
  },
  {
    name: 'First work that has queued is not part of the baseline',
    file: 'limits/baseline.ts',
    on: 'const isQueued = half >= MIN_BASELINE && late.mean - early.mean > chance;',
    off: 'const isQueued = false;',
  },
  {
    name: 'It grows only as far as work does not become slow',
    file: 'limits/decide.ts',
    on: 'const growth = Math.min(Math.sqrt(limit), limit * Math.expm1(SLOW - Math.max(0, slowdown)));',
    off: 'const growth = Math.sqrt(limit + 0 * slowdown);',
  },
  {
    name: 'It returns from decreases that do not help',
    file: 'limits/decide.ts',
    on: "if (before !== undefined && effect === 'none') {",
    off: "if (before !== undefined && effect === 'none' && limit < 0) {",
  },
  {
    name: 'It falls slowly if less work is done than usual',
    file: 'limits/decide.ts',
    on: 'return capacity * TOLERANCE < Math.min(usual, limit);',
    off: 'return capacity * TOLERANCE < 0 * Math.min(usual, limit);',
  },
  {
    name: 'Work that a pause delays does not count',
    file: 'limits/adaptive.ts',
    on: 'if (isPause && this.#finishes > AVERAGED) {',
    off: 'if (isPause && this.#finishes < 0) {',
  },
  {
    name: 'After a change, work is ignored for two mean durations',
    file: 'limits/adaptive.ts',
    on: 'const SETTLING_RTTS = 2;',
    off: 'const SETTLING_RTTS = 0;',
  },
  {
    name: 'The margin of error of the baseline counts',
    file: 'limits/window.ts',
    on: 'this.#baselineMargins += baseline.margin;',
    off: 'this.#baselineMargins += 0 * baseline.margin;',
  },
  {
    name: 'A window ends only once its error is small',
    file: 'limits/window.ts',
    on: 'return Math.abs(mean - SLOW) >= margin || margin <= MAX_MARGIN / precision;',
    off: 'return Math.abs(mean - SLOW) >= margin || precision > 0;',
  },
  {
    name: 'The limit rises in a stall',
    file: 'limits/limit-updater.ts',
    on: 'if (stuck === 0 || this.isHeld) return;',
    off: 'return;',
  },
];
