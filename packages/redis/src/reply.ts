import { refused } from './failure.ts';

/**
 * The lines of a script's reply.
 *
 * @param count Minimum number of lines.
 * @throws StoreError for a reply that does not come from the script.
 */
export function linesOf(reply: unknown, count: number): string[] {
  // The client may be configured to return buffers.
  const lines = String(reply).split('\n');
  if (lines.length >= count) return lines;
  if (lines[0] === 'QUEUED')
    throw refused('the client is in a transaction (MULTI): use another client for those');
  throw refused('Redis has sent an unknown reply');
}
