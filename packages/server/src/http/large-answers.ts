import { createLimiter, RejectedError } from '@headgate/core';
import type { HttpBindings } from '@hono/node-server';
import type { MiddlewareHandler } from 'hono';
import { tooManyAnswers } from '../state/refusal.ts';
import { refused } from './answers.ts';

/** Maximum number of unread long answers. Their length grows with the number of peers or semaphores. */
const MAX_UNREAD = 4;
/** Maximum number of queued requests for long answers. */
const MAX_QUEUED = 1_000;
/** Maximum time in the queue, in milliseconds. */
const MAX_WAIT = 5_000;

/**
 * Bounds the memory and the event-loop time for long answers, however many clients request them. The next answer is
 * created once an earlier one has been read.
 */
export function largeAnswers(): MiddlewareHandler {
  const limiter = createLimiter({
    name: 'large answers',
    limit: MAX_UNREAD,
    queueLimit: MAX_QUEUED,
    queueTimeout: MAX_WAIT,
  });
  return async (c, next) => {
    const { signal } = c.req.raw;
    const { outgoing } = (c.env ?? {}) as Partial<HttpBindings>;
    try {
      const permit = await limiter.acquire({ signal });
      // If the app is mounted in another one, there may be no Node response to wait for.
      if (outgoing === undefined || outgoing.closed) permit.release();
      else outgoing.once('close', () => permit.release());
    } catch (error) {
      if (error instanceof RejectedError || signal.aborted) return refused(c, tooManyAnswers);
      throw error;
    }
    return next();
  };
}
