import { serverStore } from '@headgate/server-client';
import type { Answer, LeaseVerb, Op } from '@headgate/store-kit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Asked, fine, startFake } from './fake-service.ts';

const isLock = ({ method, path }: Asked) => method === 'PUT' && path.split('/').length === 4;
const isHeartbeat = ({ method, path }: Asked) => method === 'PUT' && path.split('/').length === 3;

const lease = {
  ref: { name: 'A', limit: 1, version: '' },
  ...{ id: 'mine', weight: 1, priority: 0, wait: 5_000, queueLimit: 9, lease: 10_000 },
};

/** A fake service with one acquired lease. The test decides when it answers the request selected by `isLate`. */
async function scene(
  status: 200 | 202,
  isLate: (asked: Asked) => boolean,
  isUnknown: (asked: Asked) => boolean = () => false,
) {
  let answer: (answered: [number, string]) => void = () => {};
  const lateAnswer = new Promise<[number, string]>((resolve) => {
    answer = resolve;
  });
  let acquired = false;
  const fake = await startFake((asked) => {
    if (asked.path === '/metrics') return [200, 'throttle_max{semaphore="A"} 1\n'];
    if (asked.query.has('block_for')) return undefined;
    if (acquired && isLate(asked)) return lateAnswer;
    if (acquired && isUnknown(asked)) return [400, 'Unknown peer'];
    return isLock(asked) ? [status, asked.path.split('/')[2] as string] : fine(asked);
  });
  const store = serverStore({ url: fake.url });
  onTestFinished(() => store.close());
  const send = async (verb: LeaseVerb): Promise<Answer | undefined> => {
    const [answered] = await store.send([{ verb, lease } as unknown as Op], 3_000);
    return answered;
  };
  await send('acquire');
  acquired = true;
  return { fake, send, answer: (text: string, status = 400) => answer([status, text]) };
}

test.each([
  ['stay', 202, isLock],
  ['renew', 200, isHeartbeat],
] as const)('a lease released during a %s is not requested again', async (verb, status, isLate) => {
  const { fake, send, answer } = await scene(status, isLate);
  const before = fake.asked.length;
  const pending = send(verb);
  await vi.waitFor(() => expect(fake.asked.slice(before).some(isLate)).toBe(true), 10_000);
  expect(await send('release')).toMatchObject({ state: 'ok' });
  answer('Unknown peer');
  await pending;
  const after = fake.asked.slice(fake.asked.findIndex(({ method }) => method === 'DELETE') + 1);
  expect(after.filter(({ path }) => path !== '/metrics')).toEqual([]);
});

test('a lease released during its restore is not restored again', async () => {
  const isRestore = ({ path }: Asked) => path === '/restore';
  const { fake, send, answer } = await scene(200, isRestore, isHeartbeat);
  const before = fake.asked.length;
  const renewing = send('renew');
  await vi.waitFor(() => expect(fake.asked.slice(before).some(isRestore)).toBe(true), 10_000);
  const released = send('release');
  for (let i = 0; i < 3; i++) await fetch(`${fake.url}/metrics`);
  expect(fake.asked.some(({ method }) => method === 'DELETE')).toBe(false);
  answer('Ok', 200);
  expect(await renewing).toMatchObject({ state: 'held' });
  expect(await released).toMatchObject({ state: 'ok' });
});
