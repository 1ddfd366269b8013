import { describe, expect, it } from 'vitest';
import { ReleaseRate } from '../src/semaphore/release-rate.ts';

describe('the measured rate of releases', () => {
  /** Releases this weight, and counts it now. */
  function release(rate: ReleaseRate, now: number, weight: number): void {
    rate.released(weight);
    rate.wait(now, 1, 4);
  }

  /** A rate of a limit of 4 from time 0, with a release of weight 1 at each of these times. */
  function measured(...times: number[]) {
    const rate = new ReleaseRate();
    rate.start(0, 4);
    for (const time of times) release(rate, time, 1);
    return rate;
  }

  const everySecond = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, second) => 1000 * (from + second + 1));

  it('is unknown before anything has been measured', () => {
    expect(new ReleaseRate().wait(5000, 10, 4)).toBe(0);
  });

  it('predicts the time in which a weight is released', () => {
    const rate = measured(...everySecond(0, 5));
    expect(rate.wait(5000, 1, 4)).toBe(1000);
    expect(rate.wait(5000, 10, 4)).toBe(10_000);
  });

  it('predicts too short a wait until the weight of a whole limit has been released', () => {
    expect(measured(1000).wait(1000, 4, 4)).toBe(1000);
    expect(measured(...everySecond(0, 4)).wait(4000, 4, 4)).toBe(4000);
  });

  it('falls while nothing is released, except for a pause of the event loop', () => {
    expect(measured().wait(100, 4, 4)).toBe(0);
    expect(measured().wait(2100, 4, 4)).toBe(2000);
    const rate = measured(...everySecond(0, 5));
    expect(rate.wait(5100, 4, 4)).toBe(4000);
    expect(rate.wait(25_100, 4, 4)).toBe(20_000);
  });

  it('predicts waits for a changed limit at once', () => {
    expect(measured(...everySecond(0, 8)).wait(8000, 4, 8)).toBe(2000);
  });

  it('adapts within two periods of 5 s, even if releases were slow before', () => {
    const rate = measured(...everySecond(0, 60));
    for (let time = 60_100; time <= 70_000; time += 100) release(rate, time, 1);
    expect(rate.wait(70_000, 1, 4)).toBeCloseTo(100);
  });

  it('is measured until twice the limit is released, however long that takes', () => {
    const rate = measured();
    for (let count = 1; count <= 12; count++) release(rate, 20_000 * count, 1);
    expect(rate.wait(240_000, 1, 4)).toBe(20_000);
  });

  it('counts only while there is no room', () => {
    const rate = measured(...everySecond(0, 5));
    rate.stop(5000, 4);
    rate.released(4);
    expect(rate.wait(7000, 1, 4)).toBe(1000);
    rate.start(8000, 4);
    rate.start(9000, 4);
    release(rate, 9000, 1);
    expect([rate.wait(9000, 1, 4), rate.isMeasuring]).toEqual([1000, true]);
  });

  it('is forgotten after a pause as long as the measured time', () => {
    const rate = measured(...everySecond(0, 4));
    rate.stop(4000, 4);
    rate.start(8001, 4);
    expect(rate.wait(8001, 1, 4)).toBe(0);
  });
});
