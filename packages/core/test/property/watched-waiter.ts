import type { Permit, Rejection, Waiter } from '../../src/index.ts';

interface WaiterWatcher {
  granted(permit: Permit): void;
  rejected(rejection: Rejection): void;
  /** Called after the waiter itself was. */
  wasRejected(): void;
  /** The waiter has said whether it joins the queue. */
  mayJoin(isWilling: boolean): void;
  /** The waiter has said that it is gone, or has thrown. */
  leaves(): void;
}

/** Wraps the methods of a waiter that its limiter calls. */
export function watchWaiter(waiter: Waiter, watcher: WaiterWatcher): void {
  // The methods of its class, without the wrappers of earlier watchers.
  const own: Waiter = Object.getPrototypeOf(waiter);
  waiter.granted = (permit) => {
    watcher.granted(permit);
    own.granted.call(waiter, permit);
  };
  waiter.rejected = (rejection) => {
    watcher.rejected(rejection);
    try {
      own.rejected.call(waiter, rejection);
    } finally {
      watcher.wasRejected();
    }
  };
  waiter.mayJoin = () => {
    const isWilling = own.mayJoin.call(waiter);
    watcher.mayJoin(isWilling);
    return isWilling;
  };
  waiter.gone = () => {
    let gone = true;
    try {
      gone = own.gone.call(waiter);
    } finally {
      if (gone) watcher.leaves();
    }
    return gone;
  };
}
