import type { HttpBindings } from '@hono/node-server';
import type { Context, Hono } from 'hono';
import { Refusal } from '../state/refusal.ts';
import type { StateDriver } from '../state-driver.ts';
import { jsonNumber, refused } from './answers.ts';
import { blocked } from './blocked.ts';
import { bodyOf, countFrom, durationOf, peerIdOf, queryOf } from './input.ts';

/** Routes that acquire and release locks and query their state. */
export function lockRoutes(app: Hono, stateDriver: StateDriver): void {
  const { state } = stateDriver;

  // A semaphore may have the name `is_acquired`. The method distinguishes the two routes.
  app.put('/peers/:id/:semaphore', async (c) => {
    const peer = peerIdOf(c);
    const semaphore = c.req.param('semaphore');
    const expiresIn = durationOf(c, 'expires_in');
    const blockFor = durationOf(c, 'block_for') ?? 0;
    const request = { peer, semaphore, count: countFrom(await bodyOf(c)), expiresIn };
    let answer = state.acquire(request);
    if (answer === false && blockFor > 0 && !stateDriver.isClosing && !isBehindAnother(c)) {
      answer = await blocked(c, state, request, blockFor);
      if (stateDriver.isClosing) c.header('Connection', 'close');
    }
    if (answer instanceof Refusal) return refused(c, answer);
    return jsonNumber(c, peer, answer ? 200 : 202);
  });

  app.delete('/peers/:id/:semaphore', (c) => {
    const refusal = state.releaseLock(peerIdOf(c), c.req.param('semaphore'));
    return refusal === undefined ? c.text('Ok') : refused(c, refusal);
  });

  app.get('/peers/:id/is_acquired', (c) => {
    const answer = state.isAcquired(peerIdOf(c));
    return answer instanceof Refusal ? refused(c, answer) : jsonNumber(c, answer);
  });

  app.get('/remainder', (c) => {
    const semaphore = queryOf(c, 'semaphore');
    if (semaphore === undefined) return c.text('semaphore is missing.', 400);
    const remainder = state.remainder(semaphore);
    return remainder instanceof Refusal ? refused(c, remainder) : jsonNumber(c, remainder);
  });
}

/**
 * Whether an earlier request on the same connection is unanswered. That happens only if the app is mounted in another
 * one, since `listen` handles requests one after the other. Such a request is not blocked, since Node would not report
 * that its client has disconnected.
 */
function isBehindAnother(c: Context): boolean {
  const { outgoing } = (c.env ?? {}) as Partial<HttpBindings>;
  return outgoing?.socket === null;
}
