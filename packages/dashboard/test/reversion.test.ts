import { adaptive, createLimiter, type Limiter } from '@headgate/core';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import { Operator } from '../src/operator.ts';
import { idOf } from '../src/view.ts';

function scene(limiter: Limiter = createLimiter({ limit: 10 })) {
  const clock = new VirtualClock();
  const operator = new Operator(() => limiter, clock);
  const operate = async (body: object, expected = 204) => {
    const headers = { 'content-type': 'application/json', 'content-length': '9' };
    const { status } = await operator.respond({
      method: 'POST',
      file: 'operate',
      withoutSlash: undefined,
      query: () => undefined,
      header: (name) => headers[name as keyof typeof headers],
      address: undefined,
      httpVersion: undefined,
      body: async () => body,
    });
    expect(status).toBe(expected);
  };
  const set = (limit: number, minutes?: number) =>
    operate({ operation: 'setLimit', limit, minutes });
  return { clock, operator, limiter, operate, set };
}

it('reverts a limit after the given minutes', async () => {
  const { clock, operator, limiter, set } = scene();
  await set(3, 15);
  const at = clock.now() + 900_000;
  expect(operator.reversions).toEqual({ [idOf(limiter)]: { to: 10, at } });
  clock.advance(899_999);
  expect(limiter.limit).toBe(3);
  clock.advance(1);
  expect([limiter.limit, operator.reversions, clock.armed]).toEqual([10, {}, 0]);
});

it('reverts a second temporary limit to the value before the first', async () => {
  const { clock, limiter, set } = scene();
  await set(3, 15);
  await set(5, 30);
  clock.advance(900_000);
  expect(limiter.limit).toBe(5);
  clock.advance(900_000);
  expect(limiter.limit).toBe(10);
});

it('reverts to the limit that the app has set between two temporary ones', async () => {
  const { clock, limiter, operator, set } = scene();
  await set(3, 15);
  limiter.setLimit(50);
  expect(operator.reversions).toEqual({});
  await set(5, 30);
  clock.advance(1_800_000);
  expect(limiter.limit).toBe(50);
});

it('still reverts a limit after an operation that it does not support', async () => {
  const { clock, limiter, operate, set } = scene();
  await set(3, 15);
  await operate({ operation: 'unfreeze' }, 409);
  clock.advance(900_000);
  expect(limiter.limit).toBe(10);
});

it('keeps a limit that was set without an end, here or by the app', async () => {
  const { clock, limiter, set } = scene();
  await set(3, 15);
  await set(4);
  expect(clock.armed).toBe(0);
  await set(5, 15);
  limiter.setLimit(6);
  clock.advance(900_000);
  expect(limiter.limit).toBe(6);
});

it('leaves an unfrozen limit to its algorithm', async () => {
  const { clock, limiter, operate, set } = scene(
    createLimiter({ limit: adaptive({ initial: 8 }) }),
  );
  limiter.freeze();
  await set(3, 15);
  await operate({ operation: 'unfreeze' });
  expect([limiter.limit, clock.armed]).toEqual([8, 0]);
  limiter.freeze();
  await set(3, 15);
  limiter.unfreeze();
  clock.advance(900_000);
  expect(limiter.limit).toBe(8);
});

it('does nothing to a limit that has been closed, and reverts at once when the dashboard closes', async () => {
  const closed = scene();
  await closed.set(3, 15);
  await closed.limiter.close();
  closed.clock.advance(900_000);
  expect(closed.limiter.limit).toBe(3);
  const open = scene();
  await open.set(3, 15);
  open.operator.close();
  expect([open.limiter.limit, open.clock.armed]).toEqual([10, 0]);
});
