import { Caller, type Wishes } from '@headgate/test-kit/caller';
import { VirtualClock } from '@headgate/test-suite';
import { createLimiter, type LimiterOptions } from '../src/index.ts';

export const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

interface OwnWishes extends Wishes {
  fairBy?: string;
}

/** A limit of 1 whose only permit is held. */
export function scene(options: Partial<LimiterOptions> = {}, wishes: OwnWishes = {}) {
  const clock = new VirtualClock();
  const limiter = createLimiter({ limit: 1, queueTimeout: 1000, clock, ...options });
  const held: Caller[] = [];
  const gone = new Set<Caller>();
  const ask = (own: OwnWishes = {}) => {
    const { fairBy, ...rest } = { ...wishes, ...own };
    const caller: Caller = new Caller({
      gone: () => gone.has(caller),
      onGranted: () => held.push(caller),
      ...rest,
    });
    if (fairBy !== undefined) caller.fairBy = fairBy;
    limiter.request(caller);
    return caller;
  };
  /** Ends the oldest work, after its client has left or while it is there. */
  const finish = (isLate: boolean) => {
    const caller = held.shift() as Caller;
    if (isLate) gone.add(caller);
    caller.permit?.release();
  };
  ask();
  return { clock, limiter, ask, finish };
}

export const reason = ({ permit, rejection }: Caller) =>
  rejection?.reason ?? (permit ? 'granted' : 'waits');

/** This many more answers than in time may come too late without any effect. */
export const TOLERATED = 3;

/** After this many answers that came too late after 400 ms, the learned timeout is below 400 ms, from 1 s at first. */
export const UNTIL_LEARNED = TOLERATED + 6;

/** A scene in which answers after 400 ms have come too late, while a waiter of 400 ms and a new one are queued. */
export function impatientScene(options?: Partial<LimiterOptions>, wishes?: OwnWishes) {
  const made = scene(options, wishes);
  const { clock, ask, finish } = made;
  times(UNTIL_LEARNED, () => ask(wishes));
  const old = ask();
  clock.advance(400);
  const fresh = ask();
  for (let count = 0; count < UNTIL_LEARNED; count++) finish(count > 0);
  return { ...made, old, fresh };
}
