import { byShare, createLimiter } from '@headgate/core';
import { expect, it } from 'vitest';
import type { SuiteContext, SuiteOptions } from '../framework.ts';
import { busy } from '../kit/busy.ts';
import { counts } from '../kit/until.ts';
import type { World } from '../kit/world.ts';

const user = (context: SuiteContext) => context.header('x-user') ?? 'anonymous';
const as = (name: string) => ({ headers: { 'X-User': name } });

/** Queues requests of these users in this order, and returns the order in which they are admitted. */
async function admissionOrder(world: World, options: SuiteOptions, users: readonly string[]) {
  const { app, limit, work, holder } = await busy(world, { queueLimit: 9, ...options });
  const calls = [holder];
  for (const name of users) {
    calls.push(app.call(`/${name}`, as(name)));
    await counts(limit, 1, calls.length - 1);
  }
  work.finishAll();
  for (const call of calls) expect(await call.answer()).toMatchObject({ status: 200 });
  await counts(limit, 0, 0);
  return work.paths.slice(1).map((path) => path.slice(1));
}

export function fairness(world: World): void {
  it('serves users in turn with fairBy', async () => {
    const order = await admissionOrder(world, { fairBy: user }, ['a', 'a', 'a', 'b', 'c']);
    expect(order).toEqual(['a', 'b', 'c', 'a', 'a']);
  });

  it('serves the requests for which fairBy returns undefined as one group', async () => {
    const fairBy = (context: SuiteContext) => context.header('x-user') || undefined;
    const order = await admissionOrder(world, { fairBy }, ['', '', '', 'b', 'c']);
    expect(order).toEqual(['', 'b', 'c', '', '']);
  });

  it('serves users in turn within a priority', async () => {
    const priority = (context: SuiteContext) => (user(context) === 'c' ? 'high' : 'normal');
    const order = await admissionOrder(world, { fairBy: user, priority }, ['a', 'a', 'b', 'c']);
    expect(order).toEqual(['c', 'a', 'b', 'a']);
  });

  it('grants a released permit to the share that uses less than its part', async () => {
    const by = (context: SuiteContext) => (user(context) === 'gold' ? 'gold' : undefined);
    const parts = { gold: 0.5 };
    const order = await admissionOrder(world, { shares: { parts, by } }, ['a', 'b', 'gold']);
    expect(order).toEqual(['gold', 'a', 'b']);
    const limiter = createLimiter({ limit: 1, queueLimit: 9, order: byShare(parts) });
    const alone = { limits: [{ limiter, shares: { by } }], queueLimit: 9 };
    expect(await admissionOrder(world, alone, ['a', 'gold'])).toEqual(['gold', 'a']);
  });

  it('bounds the queue by weight with queueWeight', async () => {
    const weight = (context: SuiteContext) => Number(context.header('x-weight') ?? 1);
    const options = { limit: 4, weight, queueLimit: 9, queueWeight: 4 };
    const { app, limit, work, holder } = await busy(world, options);
    const heavy = app.call('/heavy', { headers: { 'X-Weight': '4' } });
    await counts(limit, 1, 1);
    const answer = await app.call('/late').answer();
    expect(answer).toMatchObject({ status: 503 });
    work.finishAll();
    for (const call of [holder, heavy]) expect(await call.answer()).toMatchObject({ status: 200 });
  });
}
