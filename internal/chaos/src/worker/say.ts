import type { Event } from '../log/event.ts';
import type { Said } from './plan.ts';

/** Sends a message to the verifier. */
export function say(said: Said): void {
  process.send?.(said);
}

export function note(event: Event): void {
  say({ event });
}

/** An error with its stack and those of its causes. */
export function inShort(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return (error.stack ?? error.message).split('\n').slice(0, 4).join(' | ');
}
