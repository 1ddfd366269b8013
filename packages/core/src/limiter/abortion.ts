import type { Acquisition } from './acquisition.ts';

/** An acquisition that waits with a signal, among those that wait with the same. */
export class Listening {
  after: Listening | undefined = undefined;

  constructor(
    private readonly abortion: Abortion,
    readonly acquisition: Acquisition,
    private before: Listening | undefined,
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

/** A property is found faster than an entry of a WeakMap, and costs the collector less. */
type Signal = AbortSignal & { [abortion]?: Abortion };

/** One listener for each signal: a listener for each waiter would make Node warn of a leak at the eleventh. */
class Abortion {
  first: Listening | undefined = undefined;
  last: Listening | undefined = undefined;
  /** A closure is called faster than a listener that is an object, in Node. */
  readonly listener = () => this.#abort();

  constructor(readonly signal: Signal) {}

  #abort(): void {
    // Each one leaves as it is aborted.
    for (let { first } = this; first !== undefined; first = this.first) first.acquisition.abort();
  }
}

export function listen(signal: Signal, acquisition: Acquisition): Listening {
  signal[abortion] ??= new Abortion(signal);
  const all = signal[abortion];
  const listening = new Listening(all, acquisition, all.last);
  all.last = listening;
  if (all.first === undefined) {
    all.first = listening;
    signal.addEventListener('abort', all.listener);
  }
  return listening;
}
