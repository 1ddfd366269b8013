import { type Permit, type Priority, type Rejection, Waiter } from '@headgate/core';

export interface Wishes {
  key?: string;
  weight?: number;
  limit?: number;
  queueTimeout?: number;
  priority?: Priority;
  share?: string | undefined;
  onGranted?: (permit: Permit) => void;
  onRejected?: (rejection: Rejection) => void;
  mayJoin?: () => boolean;
  whenQueued?: () => void;
  mayStay?: () => boolean;
  gone?: () => boolean;
}

/** A waiter that records its answers and calls the test's callbacks. */
export class Caller extends Waiter {
  permit: Permit | undefined;
  rejection: Rejection | undefined;
  answers = 0;

  constructor(private readonly wishes: Wishes = {}) {
    super();
    this.key = wishes.key;
    this.weight = wishes.weight ?? 1;
    this.limit = wishes.limit;
    this.queueTimeout = wishes.queueTimeout;
    this.priority = wishes.priority ?? 'normal';
    this.share = wishes.share;
  }

  granted(permit: Permit): void {
    this.answers++;
    this.permit = permit;
    this.wishes.onGranted?.(permit);
  }

  rejected(rejection: Rejection): void {
    this.answers++;
    this.rejection = rejection;
    this.wishes.onRejected?.(rejection);
  }

  override mayJoin(): boolean {
    return this.wishes.mayJoin?.() ?? true;
  }

  override queued(): void {
    this.wishes.whenQueued?.();
  }

  override mayStay(): boolean {
    return this.wishes.mayStay?.() ?? true;
  }

  override gone(): boolean {
    return this.wishes.gone?.() ?? false;
  }
}

/** Creates a caller and requests a permit for it. */
export function call(limiter: { request(waiter: Waiter): void }, wishes?: Wishes): Caller {
  const caller = new Caller(wishes);
  limiter.request(caller);
  return caller;
}
