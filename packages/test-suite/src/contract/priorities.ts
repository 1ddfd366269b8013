import { byPriority, byShare, fifo, type Priority } from '@headgate/core';
import { expect, it } from 'vitest';
import type { SuiteContext, SuiteOptions } from '../framework.ts';
import { busy } from '../kit/busy.ts';
import { counts } from '../kit/until.ts';
import type { World } from '../kit/world.ts';

/** None means `normal`. */
const priority = (context: SuiteContext) => context.header('x-class') as Priority | undefined;
const as = (name: string) => ({ headers: { 'X-Class': name } });

export function priorities(world: World): void {
  it('admits higher priorities first, and displaces the lowest from a full queue', async () => {
    const { app, limit, work, holder } = await busy(world, { queueLimit: 2, priority });
    const low = app.call('/low', as('low'));
    await counts(limit, 1, 1);
    const normal = app.call('/normal');
    await counts(limit, 1, 2);
    const high = app.call('/high', as('high'));
    expect(await low.answer()).toMatchObject({ status: 503 });
    await counts(limit, 1, 2);
    work.finishAll();
    for (const call of [holder, high, normal]) {
      expect(await call.answer()).toMatchObject({ status: 200 });
    }
    expect(work.paths.slice(1)).toEqual(['/high', '/normal']);
  });

  it('accepts an order that contains byPriority(), and orders by the priority', async () => {
    const order = byShare({ gold: 0.5 }, byPriority());
    const { app, limit, work, holder } = await busy(world, { queueLimit: 2, priority, order });
    const normal = app.call('/normal');
    await counts(limit, 1, 1);
    const high = app.call('/high', as('high'));
    await counts(limit, 1, 2);
    work.finishAll();
    for (const call of [holder, high, normal]) {
      expect(await call.answer()).toMatchObject({ status: 200 });
    }
    expect(work.paths.slice(1)).toEqual(['/high', '/normal']);
  });

  it('throws for a priority if byShare() does not contain byPriority()', () => {
    const order = byShare({ gold: 0.5 }, fifo());
    const expected = /byShare\(parts, byPriority\(\)\)/;
    expect(() => world.limit({ limit: 1, priority, order })).toThrow(expected);
  });

  it('reads the priority only from the function, never from the request', async () => {
    const { app, limit, work, holder } = await busy(world, { queueLimit: 2 });
    const calls = [app.call('/first')];
    await counts(limit, 1, 1);
    calls.push(app.call('/second', { headers: { Priority: 'u=0', 'X-Class': 'critical' } }));
    await counts(limit, 1, 2);
    work.finishAll();
    for (const call of [holder, ...calls])
      expect(await call.answer()).toMatchObject({ status: 200 });
    expect(work.paths.slice(1)).toEqual(['/first', '/second']);
  });

  it('throws for an invalid order next to a priority', () => {
    const error = { code: 'ERR_HEADGATE_OPTION', option: 'order' };
    const options = { limit: 1, priority, order: 'lifo' } as unknown as SuiteOptions;
    expect(() => world.limit(options)).toThrow(expect.objectContaining(error));
  });

  it('throws for a priority that is not a function', () => {
    const error = { code: 'ERR_HEADGATE_OPTION', option: 'priority' };
    const options = { limit: 1, priority: 'high' } as unknown as SuiteOptions;
    expect(() => world.limit(options)).toThrow(expect.objectContaining(error));
  });
}
