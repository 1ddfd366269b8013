import { expect, it } from 'vitest';
import { busy } from '../kit/busy.ts';
import { counts } from '../kit/until.ts';
import type { World } from '../kit/world.ts';

export function observers(world: World): void {
  it('observe() adds an observer to a middleware in use, and removes it again', async () => {
    const { app, limit, work, holder } = await busy(world, { queueLimit: 1 });
    const seen: string[] = [];
    const requests: object[] = [];
    const record = (kind: string) => (event: { request: object }) => {
      seen.push(kind);
      requests.push(event.request);
    };
    const remove = limit.observe({
      queued: record('queued'),
      admitted: record('admitted'),
      rejected: record('rejected'),
      released: record('released'),
    });
    const waiter = app.call('/waiter');
    await counts(limit, 1, 1);
    await app.call('/comer').answer();
    work.finishAll();
    await Promise.all([holder.answer(), waiter.answer()]);
    await counts(limit, 0);
    remove();
    expect(await app.call('/later').answer()).toMatchObject({ status: 200 });
    expect(seen).toEqual(['queued', 'rejected', 'released', 'admitted', 'released']);
    const [queued, , , ...later] = requests;
    expect(later.every((request) => request === queued)).toBe(true);
    expect(new Set(requests).size).toBe(3);
  });

  it('observe() throws for an unknown callback', () => {
    const limit = world.limit({ limit: 1 });
    const error = { code: 'ERR_HEADGATE_UNKNOWN_OPTION', option: 'reject' };
    expect(() => limit.observe({ reject() {} } as never)).toThrow(expect.objectContaining(error));
  });

  it('closed is true as soon as close() was called', async () => {
    const limit = world.limit({ limit: 1 });
    expect(limit.closed).toBe(false);
    const closing = limit.close();
    expect(limit.closed).toBe(true);
    await closing;
  });
}
