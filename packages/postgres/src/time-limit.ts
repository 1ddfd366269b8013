import { limitTime as limit } from '@headgate/store-kit';

/**
 * Maximum milliseconds that are added for a busy event loop: enough to read what has arrived meanwhile. Bounded,
 * because a process must notice in time that the server has ended its sessions.
 */
const MAX_EXTENSION = 100;

/** Calls `end` after `time` milliseconds, unless the returned function is called before. */
export function limitTime(time: number, end: () => void): () => void {
  return limit(time, MAX_EXTENSION, end, true);
}
