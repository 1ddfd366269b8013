import { expect, onTestFinished, test, vi } from 'vitest';
import { Liveness } from '../src/liveness.ts';

function scene() {
  let time = 0;
  const renew = vi.fn();
  const clock = { now: () => time, setTimeout: () => () => {} } as never;
  const liveness = new Liveness({ clock, leaseDuration: 20_000, renew });
  onTestFinished(() => liveness.close());
  const at = (instant: number) => {
    time = instant;
    return liveness;
  };
  return { at, liveness, renew };
}

test('the first connection does not count as a loss', () => {
  const { at, liveness } = scene();
  at(500).regain();
  expect(liveness.certainUntil(100)).toBe(Infinity);
});

test('only a lease requested before or during a loss is no longer certain 0.9 s after it', () => {
  const { at, liveness, renew } = scene();
  at(1_000).lose();
  at(1_200).lose();
  expect(renew).toHaveBeenCalledTimes(1);
  expect(liveness.certainUntil(900)).toBe(1_900);
  expect(liveness.certainUntil(1_300)).toBe(2_200);
  at(1_500).regain();
  expect(liveness.certainUntil(900)).toBe(1_900);
  expect(liveness.certainUntil(1_300)).toBe(2_200);
  expect(liveness.certainUntil(1_500)).toBe(Infinity);
});

test('a second loss does not extend the time for which leases are certain', () => {
  const { at, liveness } = scene();
  at(1_000).lose();
  at(1_500).regain();
  at(1_800).lose();
  expect(liveness.certainUntil(900)).toBe(1_900);
  expect(liveness.certainUntil(1_600)).toBe(2_700);
  at(1_850).regain();
  at(2_600).lose();
  expect(liveness.certainUntil(900)).toBe(1_900);
  expect(liveness.certainUntil(1_600)).toBe(2_700);
  expect(liveness.certainUntil(1_900)).toBe(3_500);
  // After a lease duration, older losses no longer matter.
  at(2_700).regain();
  at(30_000).lose();
  expect(liveness.certainUntil(1_600)).toBe(30_900);
});

test('a server that reports that it serves no clients extends the time for which leases are certain', () => {
  const { at, liveness } = scene();
  at(1_000).lose();
  at(5_000).serverWasDown(100);
  expect(liveness.certainUntil(900)).toBe(5_800);
  at(6_000).regain();
  at(7_000).serverWasDown(0);
  expect(liveness.certainUntil(900)).toBe(5_800);
});
