import { adaptive, createLimiter, type Limiter } from '@headgate/core';
import { Memory, memoryStore } from '@headgate/store-kit/memory-store';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import { Operator } from '../src/operator.ts';
import { limitReversions, resumptions } from '../src/reversions.ts';
import { idOf } from '../src/sources.ts';

function scene(
  limiter: Limiter = createLimiter({ limit: 10 }),
  clock: VirtualClock = new VirtualClock(),
) {
  const operator = new Operator(() => limiter, clock);
  const operate = async (body: object, expected = 204) => {
    const headers = { 'content-type': 'application/json', 'content-length': '9' };
    const { status } = await operator.respond({
      method: 'POST',
      file: 'operate',
      withoutSlash: undefined,
      query: () => undefined,
      header: (name) => headers[name as keyof typeof headers],
      isAmbiguous: false,
      body: async () => body,
    });
    expect(status).toBe(expected);
  };
  const set = (limit: number | 'adaptive', minutes?: number) =>
    operate({ operation: 'setLimit', limit, minutes });
  const reversions = () => limitReversions.of([{ id: idOf(limiter) }]);
  return { clock, operator, limiter, operate, set, reversions };
}

it('a temporary limit reverts after the given minutes', async () => {
  const { clock, limiter, set, reversions } = scene();
  await set(3, 15);
  const at = clock.now() + 900_000;
  expect(reversions()).toEqual({ [idOf(limiter)]: { to: 10, at } });
  expect(limitReversions.of([])).toEqual({});
  clock.advance(899_999);
  expect(limiter.limit).toBe(3);
  clock.advance(1);
  expect([limiter.limit, reversions(), clock.armed]).toEqual([10, {}, 0]);
});

it('a second temporary limit reverts to the value before the first', async () => {
  const { clock, limiter, set } = scene();
  await set(3, 15);
  await set(5, 30);
  clock.advance(900_000);
  expect(limiter.limit).toBe(5);
  clock.advance(900_000);
  expect(limiter.limit).toBe(10);
});

it('a temporary limit of a second dashboard reverts to the value before that of the first', async () => {
  const { clock, limiter, set, reversions } = scene();
  const second = scene(limiter, clock);
  await set(5, 5);
  await second.set(4, 60);
  const at = clock.now() + 3_600_000;
  expect(reversions()).toEqual({ [idOf(limiter)]: { to: 10, at } });
  clock.advance(300_000);
  expect(limiter.limit).toBe(4);
  clock.advance(3_300_000);
  expect([limiter.limit, clock.armed]).toEqual([10, 0]);
});

it('closing a dashboard reverts the limits that it has set, unless another dashboard has set them since', async () => {
  const { clock, limiter, operator, set } = scene();
  const second = scene(limiter, clock);
  await set(5, 5);
  await second.set(4, 60);
  operator.close();
  expect(limiter.limit).toBe(4);
  second.operator.close();
  expect([limiter.limit, clock.armed]).toEqual([10, 0]);
});

it('a temporary distributed limit reverts to the value before it, even if that was temporary in another process', async () => {
  const memory = new Memory();
  const [here, there] = [1, 2].map(() => {
    const limiter = createLimiter({ name: 'search', limit: 10, store: memoryStore({ memory }) });
    limiter.observe({ conflict() {} });
    return limiter;
  }) as [Limiter, Limiter];
  const clock = new VirtualClock();
  // Their first requests declare the limit, which would replace a temporary one.
  for (const each of [here, there]) await each.run(() => {});
  await scene(here, clock).set(5, 5);
  for (const each of [here, there]) await each.run(() => {});
  await scene(there, clock).set(4, 60);
  for (const each of [there, here]) await each.run(() => {});
  clock.advance(300_000);
  expect([here.limit, there.limit]).toEqual([4, 4]);
  clock.advance(3_300_000);
  for (const each of [there, here]) await each.run(() => {});
  expect([here.limit, there.limit]).toEqual([5, 5]);
  for (const each of [here, there]) await each.close();
});

it('a temporary limit reverts to the limit that the app has set since an earlier temporary one', async () => {
  const { clock, limiter, set, reversions } = scene();
  await set(3, 15);
  limiter.setLimit(50);
  expect(reversions()).toEqual({});
  await set(5, 30);
  clock.advance(1_800_000);
  expect(limiter.limit).toBe(50);
});

it('a limit reverts even if a value that it does not support was tried meanwhile', async () => {
  const { clock, limiter, operate, set } = scene();
  await set(3, 15);
  await operate({ operation: 'setLimit', limit: 'adaptive' }, 422);
  clock.advance(900_000);
  expect(limiter.limit).toBe(10);
});

it('a limit that was set without an end, here or by the app, is kept', async () => {
  const { clock, limiter, set } = scene();
  await set(3, 15);
  await set(4);
  expect(clock.armed).toBe(0);
  await set(5, 15);
  limiter.setLimit(6);
  clock.advance(900_000);
  expect(limiter.limit).toBe(6);
});

function adaptiveScene() {
  return scene(createLimiter({ limit: adaptive({ initial: 8 }) }));
}

it('an adaptive limit that was set for a while adapts again afterwards', async () => {
  const { clock, limiter, set, reversions } = adaptiveScene();
  await set(3, 15);
  await set(5, 30);
  const at = clock.now() + 1_800_000;
  expect(reversions()).toEqual({ [idOf(limiter)]: { to: 'adaptive', at } });
  clock.advance(1_799_999);
  expect([limiter.limit, limiter.isFixed]).toEqual([5, true]);
  clock.advance(1);
  expect([limiter.limit, limiter.isFixed, clock.armed]).toEqual([8, false, 0]);
});

it('a held adaptive limit that was set for a while is held at the earlier value afterwards', async () => {
  const { clock, limiter, set } = adaptiveScene();
  await set(3);
  await set(5, 15);
  clock.advance(900_000);
  expect([limiter.limit, limiter.isFixed]).toEqual([3, true]);
});

it('a limit that adapts again, here or by the app, is left to its algorithm', async () => {
  const { clock, limiter, set, reversions } = adaptiveScene();
  await set(3);
  await set(5, 15);
  await set('adaptive');
  expect([limiter.limit, clock.armed]).toEqual([8, 0]);
  await set(3);
  await set(5, 15);
  limiter.setLimit('adaptive');
  expect(reversions()).toEqual({});
  clock.advance(900_000);
  expect([limiter.limit, limiter.isFixed]).toEqual([8, false]);
});

it('a closed limit is left alone, and the others revert at once when the dashboard closes', async () => {
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

it.each(['pause', 'rejectAll'] as const)(
  'a limit resumes after the minutes of a %s',
  async (operation) => {
    const { clock, limiter, operate } = scene();
    await operate({ operation, minutes: 5 });
    const at = clock.now() + 300_000;
    expect(resumptions.of([{ id: idOf(limiter) }])).toEqual({
      [idOf(limiter)]: { to: 'open', at },
    });
    clock.advance(299_999);
    expect(limiter.state).not.toBe('open');
    clock.advance(1);
    expect([limiter.state, clock.armed]).toEqual(['open', 0]);
  },
);

it('a limit that rejects all requests again without an end, here or by the app, is not resumed', async () => {
  const { clock, limiter, operate } = scene();
  await operate({ operation: 'pause', minutes: 5 });
  await operate({ operation: 'rejectAll' });
  expect(clock.armed).toBe(0);
  await operate({ operation: 'pause', minutes: 5 });
  limiter.rejectAll();
  clock.advance(300_000);
  expect(limiter.state).toBe('rejecting');
  await operate({ operation: 'pause', minutes: 5 });
  await operate({ operation: 'resume' });
  expect([limiter.state, clock.armed]).toEqual(['open', 0]);
});

it('a temporarily rejecting limit resumes at once when its dashboard closes', async () => {
  const { clock, limiter, operator, operate } = scene();
  await operate({ operation: 'rejectAll', minutes: 5 });
  operator.close();
  expect([limiter.state, clock.armed]).toEqual(['open', 0]);
});
