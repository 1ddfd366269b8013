import type { Context } from 'hono';
import { type Acquired, Refusal } from '../state/refusal.ts';
import type { LockRequest, State } from '../state/state.ts';

/**
 * Resolves when the lock is acquired, the peer no longer exists, or `blockFor` has elapsed. If the client disconnects,
 * its request is forgotten.
 */
export function blocked(
  c: Context,
  state: State,
  request: LockRequest,
  blockFor: number,
): Promise<Acquired> {
  const { signal } = c.req.raw;
  return new Promise((resolve) => {
    const settle = (answer: Acquired) => {
      signal.removeEventListener('abort', disconnect);
      resolve(answer);
    };
    const wait = state.wait(request, blockFor, settle);
    const disconnect = () => {
      if (!(wait instanceof Refusal)) state.forget(wait);
      resolve(false);
    };
    if (wait instanceof Refusal) resolve(wait);
    else if (signal.aborted) disconnect();
    else signal.addEventListener('abort', disconnect, { once: true });
  });
}
