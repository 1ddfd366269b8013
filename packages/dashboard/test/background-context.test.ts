import { createLimiter, systemClock } from '@headgate/core';
import { WatchedRequest } from '@headgate/test-kit/watched-request';
import { expect, it, onTestFinished } from 'vitest';
import { Operator } from '../src/operator.ts';
import { Sampler } from '../src/sampler.ts';

const limiter = createLimiter({ name: 'app', limit: 4 });

it('the samples for later viewers do not keep the async context of the first request', async () => {
  const sampler = new Sampler(() => [limiter], systemClock);
  const request = new WatchedRequest();
  await request.run(() => {
    sampler.start();
    sampler.watch(() => {})();
    return sampler.current.now;
  });
  onTestFinished(() => sampler.close());
  expect(await request.remains()).toEqual([]);
});

it('the timer of a temporary limit does not keep the async context of the request that has set it', async () => {
  const operator = new Operator(() => limiter, systemClock);
  onTestFinished(() => operator.close());
  const request = new WatchedRequest();
  const fields: Record<string, string> = {
    'content-type': 'application/json',
    'content-length': '9',
  };
  await request.run(async () => {
    const { status } = await operator.respond({
      ...{ method: 'POST', file: 'operate', withoutSlash: undefined, isAmbiguous: false },
      ...{ query: () => undefined, header: (name) => fields[name] },
      body: async () => ({ id: 1, operation: 'setLimit', limit: 2, minutes: 10 }),
    });
    expect(status).toBe(204);
  });
  expect(await request.remains()).toEqual([]);
});
