import { type Caller, call } from '@headgate/test-kit/caller';
import { lcg } from '@headgate/test-kit/lcg';
import { assertFor } from '@headgate/test-kit/property';
import { VirtualClock } from '@headgate/test-suite';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { byShare, createLimiter, type LimiterOptions, type Permit } from '../src/index.ts';
import { divided } from './divided-limit.ts';

const reasons = (callers: (Caller | undefined)[]) => callers.map((one) => one?.rejection?.reason);

it('in a full queue, a request displaces the youngest waiter of the share that has more turns to wait', () => {
  const { many, ask } = divided({ queueLimit: 3 });
  many(10, 'free');
  const waiting = many(3, 'free');
  const gold = ask('gold');
  expect(reasons([...waiting, gold])).toEqual([undefined, undefined, 'full', undefined]);
  expect(reasons([ask('free')])).toEqual(['full']);
});

it('a request displaces no waiter if its own share would then have as many turns to wait', () => {
  const { many, ask } = divided({ queueLimit: 3 });
  many(10);
  // With parts of 0.6 and 0.3, two waiters of the first are as many turns as one of the second.
  const waiting = [...many(2, 'gold'), ...many(1, 'free')];
  expect(reasons([ask('gold'), ask('free'), ...waiting])).toEqual([
    ...['full', 'full', undefined, undefined, undefined],
  ]);
});

it('requests without a share, of which no part is theirs, are displaced first and displace none', () => {
  const { many, ask } = divided({ queueLimit: 4 });
  many(10, 'gold');
  const golden = many(2, 'gold');
  const [rest, own] = [ask(), ask('free')];
  expect(reasons([ask()])).toEqual(['full']);
  const newcomer = ask('free');
  expect(reasons([...golden, rest, own, newcomer])).toEqual([
    ...[undefined, undefined, 'full', undefined, undefined],
  ]);
});

const steps = fc.array(
  fc.record({
    act: fc.constantFrom('ask', 'ask', 'ask', 'release'),
    share: fc.constantFrom('gold', 'silver', 'free'),
    at: fc.nat(9),
  }),
  { maxLength: 120, size: 'max' },
);

const parts = { gold: 0.5, silver: 0.3, free: 0.2 };

it('a share with at most its part of the places in the queue loses no waiter, whatever others ask for', () =>
  assertFor(
    fc.property(steps, fc.constantFrom(3, 5, 10, 20), (all, queueLimit) => {
      const limiter = createLimiter({ limit: 10, queueLimit, order: byShare(parts) });
      const names = Object.keys(parts) as (keyof typeof parts)[];
      const callers: { share: string; caller: Caller }[] = [];
      const held: Permit[] = [];
      const queuedOf = (name: string) =>
        callers.filter(({ share, caller }) => share === name && caller.answers === 0).length;
      for (const { act, share, at } of all) {
        const queued = Object.fromEntries(names.map((name) => [name, queuedOf(name)]));
        queued[share] = (queued[share] as number) + 1;
        if (act === 'ask') {
          const onGranted = (permit: Permit) => held.push(permit);
          callers.push({ share, caller: call(limiter, { share, onGranted }) });
        } else held.splice(at, 1)[0]?.release();
        for (const { share: name, caller } of callers.splice(0)) {
          // A rounding error of a part must not count.
          if (caller.rejection)
            expect(queued[name]).toBeGreaterThan((parts[name as 'gold'] + 1e-9) * queueLimit);
          else callers.push({ share: name, caller });
        }
      }
    }),
    150,
  ));

/** The fraction of the requests of `vip`, which come at random, that is served within a minute of a flood. */
function servedOf(vip: string | undefined, rate: number, options: Partial<LimiterOptions>): number {
  const clock = new VirtualClock({ random: lcg(3) });
  const limiter = createLimiter({ clock, ...options } as LimiterOptions);
  const random = lcg(7);
  const counts = { all: 0, served: 0 };
  function arrive(share: string | undefined, perSecond: number) {
    clock.setTimeout(
      () => {
        const isVip = share === vip;
        if (isVip) counts.all++;
        const onGranted = (permit: { release(): void }) => {
          if (isVip) counts.served++;
          clock.setTimeout(() => permit.release(), 100);
        };
        call(limiter, { share, onGranted });
        arrive(share, perSecond);
      },
      (-1000 * Math.log(1 - random())) / perSecond,
    );
  }
  arrive(vip, rate);
  if (vip !== undefined) arrive('rest', 270);
  for (let second = 0; second < 120; second++) clock.advance(1000);
  return counts.served / counts.all;
}

it.each([{ part: 0.5 }, { part: 0.75 }])(
  'a share that asks for $part of its part is served as by a limit of its own, next to a flood',
  ({ part }) => {
    const order = byShare({ vip: 0.4, rest: 0.5 });
    const shared = servedOf('vip', part * 40, { limit: 10, order });
    const own = servedOf(undefined, part * 40, { limit: 4 });
    expect(own).toBeGreaterThan(0.95);
    expect(shared).toBeGreaterThan(own - 0.005);
  },
);
