import { createLimiter, RejectedError } from '@headgate/core';
import type { HttpBindings } from '@hono/node-server';
import type { MiddlewareHandler } from 'hono';
import { tooManyAnswers } from '../state/refusal.ts';
import { refused } from './answers.ts';

/** Answers that are as long as there are peers or semaphores: how many may be unread at once. */
const maxUnread = 4;
/** Requests for them that may wait. */
const maxQueued = 1_000;
/** Milliseconds that they may wait. */
const maxWait = 5_000;

/**
 * Bounds what long answers take of memory and of the event loop, however many clients ask for them: one is made when one
 * before it has been read.
 */
export function largeAnswers(): MiddlewareHandler {
  const limiter = createLimiter({
    name: 'large answers',
    limit: maxUnread,
    queueLimit: maxQueued,
    queueTimeout: maxWait,
  });
  return async (c, next) => {
    const { signal } = c.req.raw;
    const { outgoing } = (c.env ?? {}) as Partial<HttpBindings>;
    try {
      const permit = await limiter.acquire({ signal });
      // In another app there may be no response to wait for.
      if (outgoing === undefined || outgoing.closed) permit.release();
      else outgoing.once('close', () => permit.release());
    } catch (error) {
      if (error instanceof RejectedError || signal.aborted) return refused(c, tooManyAnswers);
      throw error;
    }
    return next();
  };
}
