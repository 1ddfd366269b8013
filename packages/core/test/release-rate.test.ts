import { describe, expect, it } from 'vitest';
import { systemClock } from '../src/index.ts';
import { ReleaseRate } from '../src/semaphore/release-rate.ts';

describe('the measured rate of releases', () => {
  /** Releases this weight, and counts it now. */
  function release(rate: ReleaseRate, now: number, weight: number): void {
    rate.released(weight);
    rate.granted({ ...systemClock, now: () => now });
    rate.wait(now, 1, 4);
  }

  /** A rate of a limit of 4, with a release of weight 1 at time 0 and at each of these times. */
  function measured(...times: number[]) {
    const rate = new ReleaseRate();
    rate.start(-1000);
    for (const time of [0, ...times]) release(rate, time, 1);
    return rate;
  }

  /** Times from 0 to `to`, this many milliseconds apart. */
  const every = (milliseconds: number, to: number) =>
    Array.from({ length: to / milliseconds }, (_, index) => milliseconds * (index + 1));

  it('is unknown before anything has been measured', () => {
    expect(new ReleaseRate().wait(5000, 10, 4)).toBe(0);
  });

  it('is unknown until 32 have been released, so that a few long requests do not decide', () => {
    expect(measured(...every(100, 3100)).wait(3100, 10, 4)).toBe(0);
    expect(measured(...every(100, 3200)).wait(3200, 10, 4)).toBe(1000);
  });

  it('is unknown until four times a higher limit has been released', () => {
    expect(measured(...every(100, 3900)).wait(3900, 10, 10)).toBe(0);
    expect(measured(...every(100, 4000)).wait(4000, 10, 10)).toBe(400);
  });

  it('predicts the time in which a weight is released', () => {
    const rate = measured(...every(500, 16_000));
    expect(rate.wait(16_000, 1, 4)).toBe(500);
    expect(rate.wait(16_000, 10, 4)).toBe(5000);
  });

  it('predicts waits for a changed limit at once', () => {
    expect(measured(...every(500, 16_000)).wait(16_000, 4, 8)).toBe(1000);
  });

  it('is that of the current or of the previous period, so one slow period does not make it lower', () => {
    const rate = measured(...every(100, 6400));
    let time = 6400;
    const slowly = (count: number) => {
      for (let index = 0; index < count; index++) {
        time += 1000;
        release(rate, time, 1);
      }
      return rate.wait(time, 1, 4);
    };
    expect(slowly(63)).toBe(100);
    // Now the previous period is slow, too.
    expect(slowly(1)).toBe(1000);
  });

  it('follows faster releases within one period and 32 of them', () => {
    const rate = measured(...every(1000, 64_000));
    for (let time = 64_100; time <= 67_200; time += 100) release(rate, time, 1);
    expect(rate.wait(67_200, 1, 4)).toBe(100);
  });

  it('a period lasts at least 5 s, so that a short burst does not end it', () => {
    const rate = measured(...every(10, 1000));
    for (let time = 1100; time <= 4900; time += 100) release(rate, time, 1);
    expect(rate.wait(4900, 1, 4)).toBeCloseTo(4900 / 139);
  });

  it('does not fall while nothing is released', () => {
    const rate = measured(...every(100, 3200));
    expect(rate.wait(100_000, 1, 4)).toBe(100);
  });

  it('counts only while requests are queued', () => {
    const rate = measured(...every(100, 3200));
    rate.stop(3200, 4);
    for (let time = 3200; time < 9000; time += 10) rate.released(4);
    rate.start(9000);
    expect(rate.wait(9000, 1, 4)).toBe(100);
  });

  it('counts only from the first grant on, since others may follow it when no request is queued', () => {
    const rate = new ReleaseRate();
    for (let second = 0; second < 1000; second++) {
      rate.start(1000 * second);
      release(rate, 1000 * second + 900, 1);
      rate.stop(1000 * second + 900, 4);
    }
    expect(rate.wait(1e6, 1, 4)).toBe(0);
  });

  it('is forgotten after a minute without waiters', () => {
    const rate = measured(...every(100, 3200));
    rate.stop(3200, 4);
    rate.start(63_200);
    expect(rate.wait(63_200, 1, 4)).toBe(100);
    rate.stop(63_200, 4);
    rate.start(123_201);
    expect(rate.wait(123_201, 1, 4)).toBe(0);
  });
});
