import { durableObjectStore } from '@headgate/durable-object';
import { expect, it } from 'vitest';

const namespace = { idFromName: (name: string) => name, get: () => ({ fetch }) };

const refusal = (option: string) =>
  expect.objectContaining({ name: 'HeadgateError', code: 'ERR_HEADGATE_OPTION', option });

it('durableObjectStore() throws for a missing namespace, as in a Worker without a binding', () => {
  const make = () => durableObjectStore({ namespace: undefined as never });
  expect(make).toThrow(refusal('namespace'));
  expect(make).toThrow(/an object with the methods idFromName, get/);
});

it.each([
  ['leaseDuration', { leaseDuration: 50 }],
  ['leaseDuration', { leaseDuration: 2000, timeout: 1000 }],
  ['timeout', { timeout: 0 }],
  ['handoff', { handoff: 101 }],
])('throws for an invalid %s', (option, invalid) => {
  expect(() => durableObjectStore({ namespace, ...invalid })).toThrow(refusal(option));
});

it('the store hands off as often as its option says, and has no option for a reserve', () => {
  expect(durableObjectStore({ namespace, handoff: 8 })).toMatchObject({ handoff: 8, reserve: 0 });
  const made = () => durableObjectStore({ namespace, reserve: 1 } as never);
  const code = 'ERR_HEADGATE_UNKNOWN_OPTION';
  expect(made).toThrow(expect.objectContaining({ code, option: 'reserve' }));
});

it('the error for an object that responds without an answer asks about its class', async () => {
  const fetch = () => Promise.resolve(new Response('Hello World'));
  const store = durableObjectStore({ namespace: { ...namespace, get: () => ({ fetch }) } });
  const cause = expect.objectContaining({ message: expect.stringContaining('LimitObject') });
  await expect(store.stats({ name: 'a' })).rejects.toMatchObject({ cause });
});

it('an object that cannot be reached or sends invalid answers is reported, and no call rejects', async () => {
  const answers = [
    () => Promise.reject(new Error('no object')),
    () => Promise.resolve(new Response('', { status: 500 })),
    () => Promise.resolve(new Response('<html>\n')),
    () => Promise.resolve(new Response('')),
  ];
  for (const fetch of answers) {
    const store = durableObjectStore({ namespace: { ...namespace, get: () => ({ fetch }) } });
    const op = { verb: 'declare', ref: { name: 'a', limit: 1, version: '' } } as const;
    const down = expect.objectContaining({ code: 'ERR_HEADGATE_STORE_DOWN' });
    expect(await store.send([op], 1000)).toEqual([{ error: down }]);
    await expect(store.stats({ name: 'a' })).rejects.toEqual(down);
  }
});
