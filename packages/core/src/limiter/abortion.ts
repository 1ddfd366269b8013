import type { Acquisition } from './acquisition.ts';

/** The acquisitions that wait with one signal, in the order in which they began to. */
class Abortion {
  first: Acquisition | undefined = undefined;
  last: Acquisition | undefined = undefined;

  handleEvent(): void {
    // Each one leaves as it is aborted.
    for (let { first } = this; first !== undefined; first = this.first) first.abort();
  }
}

/** One listener for each signal: a listener for each waiter would make Node warn of a leak at the eleventh. */
const abortions = new WeakMap<AbortSignal, Abortion>();

export function listen(signal: AbortSignal, acquisition: Acquisition): void {
  let abortion = abortions.get(signal);
  if (abortion === undefined) {
    abortion = new Abortion();
    abortions.set(signal, abortion);
  }
  const { last } = abortion;
  if (last === undefined) {
    abortion.first = acquisition;
    signal.addEventListener('abort', abortion);
  } else last.following = acquisition;
  acquisition.preceding = last;
  abortion.last = acquisition;
}

export function stopListening(signal: AbortSignal, acquisition: Acquisition): void {
  const abortion = abortions.get(signal);
  const { preceding, following } = acquisition;
  if (abortion === undefined) return;
  if (preceding === undefined) abortion.first = following;
  else preceding.following = following;
  if (following === undefined) abortion.last = preceding;
  else following.preceding = preceding;
  acquisition.preceding = undefined;
  acquisition.following = undefined;
  if (abortion.first === undefined) signal.removeEventListener('abort', abortion);
}
