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

  it('is unknown until two periods are complete, since the first one may have been unusually slow', () => {
    expect(measured(...every(100, 3100)).wait(3100, 10, 4)).toBe(0);
    expect(measured(...every(100, 3200)).wait(3200, 10, 4)).toBe(1000);
  });

  it('predicts the time in which a weight is released', () => {
    const rate = measured(...every(500, 16_000));
    expect(rate.wait(16_000, 1, 4)).toBe(500);
    expect(rate.wait(16_000, 10, 4)).toBe(5000);
  });

  it('predicts waits for a changed limit at once', () => {
    expect(measured(...every(500, 16_000)).wait(16_000, 4, 8)).toBe(1000);
  });

  it('a period lasts at least a second, and until four times the limit is released', () => {
    expect(measured(...every(10, 1990)).wait(1990, 1, 4)).toBe(0);
    expect(measured(...every(10, 2000)).wait(2000, 1, 4)).toBe(10);
    expect(measured(...every(20_000, 620_000)).wait(620_000, 1, 4)).toBe(0);
    expect(measured(...every(20_000, 640_000)).wait(640_000, 1, 4)).toBe(20_000);
  });

  it('is that of the faster of the last two periods, so one slow period does not make it lower', () => {
    const rate = measured(...every(100, 3200));
    for (let count = 1; count <= 16; count++) release(rate, 3200 + 1000 * count, 1);
    expect(rate.wait(19_200, 1, 4)).toBe(100);
    for (let count = 1; count <= 16; count++) release(rate, 19_200 + 1000 * count, 1);
    expect(rate.wait(35_200, 1, 4)).toBe(1000);
  });

  it('follows faster releases within one period', () => {
    const rate = measured(...every(1000, 32_000));
    for (let time = 32_100; time <= 33_600; time += 100) release(rate, time, 1);
    expect(rate.wait(33_600, 1, 4)).toBe(100);
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
