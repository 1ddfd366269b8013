import { throwLater } from '../errors.ts';
import { checkMethods } from '../options.ts';
import type { Outcome } from './permit.ts';
import type { Rejection } from './rejection.ts';

/** `name` is the limiter's or the gate's. Times are in milliseconds. No event carries a key. */
interface Event {
  readonly name: string;
}

/**
 * Is told what happens at a limiter or a gate: the ground for metrics and logs. Every callback is optional
 * and synchronous; one that throws disturbs no caller, its error surfaces as an uncaught exception.
 */
export interface Observer {
  admitted?(event: Event & { weight: number; waited: number }): void;
  /** Somebody begins to wait. `queued` counts them too. */
  queued?(event: Event & { weight: number; queued: number }): void;
  /** `shadow` tells that the caller was let through all the same. */
  rejected?(event: Event & { rejection: Rejection; shadow: boolean }): void;
  /** Somebody went away while waiting. */
  withdrawn?(event: Event & { waited: number }): void;
  released?(
    event: Event & { weight: number; waited: number; held: number; outcome: Outcome },
  ): void;
  resized?(event: Event & { limit: number }): void;
  /** A permit was held for longer than `maxHold`; it has been given back. */
  leaked?(event: Event & { weight: number; held: number }): void;
}

type EventOf<K extends keyof Observer> = Parameters<NonNullable<Observer[K]>>[0];

/** Callers check that there is an observer first, so that nobody pays for events that nobody sees. */
export function tell<K extends keyof Observer>(observer: Observer, kind: K, event: EventOf<K>) {
  try {
    (observer[kind] as ((event: EventOf<K>) => void) | undefined)?.call(observer, event);
  } catch (error) {
    throwLater(error);
  }
}

const kinds = [
  'admitted',
  'queued',
  'rejected',
  'withdrawn',
  'released',
  'resized',
  'leaked',
] as const;

export function checkObserver(observer: Observer | undefined): Observer | undefined {
  return observer === undefined ? undefined : checkMethods('observer', observer, kinds, true);
}
