import type { Event } from '../log/event.ts';
import type { WorkerMessage } from './messages.ts';

/** Sends a message to the verifier. */
export function send(message: WorkerMessage): void {
  process.send?.(message);
}

export function note(event: Event): void {
  send({ event });
}

/** The message and the innermost frames of the stack, in one line. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return (error.stack ?? error.message).split('\n').slice(0, 4).join(' | ');
}
