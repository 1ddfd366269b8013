import { type Exporter, MeasuredLimits, metrics } from '@headgate/core/metrics';
import { expect, it } from 'vitest';
import { outcome, scene, timeout } from './world.ts';

const silent: Exporter = {
  start() {},
  stop() {},
  open: () => ({ record() {} }),
};

it('an unavailable store is reported for the store and for its limit', async () => {
  const { world, store, limiter } = scene();
  const measured = new MeasuredLimits(silent);
  measured.add([limiter, store]);
  const states = () => {
    const values: number[] = [];
    measured.collect((metric, value, attributes) => {
      if (metric === metrics.storeUp) values.push(value);
      if (metric === metrics.storeImpaired && attributes['headgate.reason'] === 'down')
        values.push(value);
    });
    return values;
  };
  expect(states()).toEqual([0, 1]);
  store.trouble = 'silent';
  const asked = outcome(limiter.acquire());
  await world.advance(timeout);
  expect(asked.error).toBeDefined();
  expect(states()).toEqual([1, 0]);
  store.trouble = undefined;
  await world.advance(4 * timeout);
  expect(states()).toEqual([0, 1]);
});
