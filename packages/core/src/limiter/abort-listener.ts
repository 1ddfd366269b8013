import type { Acquisition } from './acquisition.ts';

/** A queued acquisition's registration at its signal, linked with those of the same signal. */
export class AbortRegistration {
  after: AbortRegistration | undefined = undefined;

  constructor(
    private readonly abortion: AbortListener,
    readonly acquisition: Acquisition,
    private before: AbortRegistration | undefined,
  ) {
    if (before !== undefined) before.after = this;
  }

  stop(): void {
    const { abortion, before, after } = this;
    if (before !== undefined) before.after = after;
    else abortion.first = after;
    if (after !== undefined) after.before = before;
    else abortion.last = before;
    if (abortion.first === undefined)
      abortion.signal.removeEventListener('abort', abortion.listener);
  }
}

const abortion = Symbol('headgate');

/** Stored as a property, since reading it is faster than a WeakMap and cheaper for the garbage collector. */
type Signal = AbortSignal & { [abortion]?: AbortListener };

/** One listener per signal: with one per waiter, Node would warn of a leak at the eleventh. */
class AbortListener {
  first: AbortRegistration | undefined = undefined;
  last: AbortRegistration | undefined = undefined;
  /** A closure, because Node calls it faster than a listener object. */
  readonly listener = () => this.#abort();

  constructor(readonly signal: Signal) {}

  #abort(): void {
    // Aborting an acquisition removes it from the list.
    for (let { first } = this; first !== undefined; first = this.first) first.acquisition.abort();
  }
}

export function listen(signal: Signal, acquisition: Acquisition): AbortRegistration {
  signal[abortion] ??= new AbortListener(signal);
  const all = signal[abortion];
  const listening = new AbortRegistration(all, acquisition, all.last);
  all.last = listening;
  if (all.first === undefined) {
    all.first = listening;
    signal.addEventListener('abort', all.listener);
  }
  return listening;
}
