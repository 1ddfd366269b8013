import type { Event } from '../log/event.ts';
import type { Said } from './plan.ts';

/** To the verifier. */
export function say(said: Said): void {
  process.send?.(said);
}

export function note(event: Event): void {
  say({ event });
}
