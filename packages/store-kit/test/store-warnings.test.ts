import { createGate } from '@headgate/core';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { StoreError } from '../src/index.ts';
import { lease, outcome, scene, settled, type TestStore, timeout, World } from './world.ts';

let warnings: string[];
beforeEach(() => {
  warnings = [];
  vi.spyOn(process, 'emitWarning').mockImplementation((text, options) => {
    warnings.push(`${(options as { code: string }).code}: ${text}`);
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Lets a call fail, which opens the circuit breaker, and then lets the store answer the probe. */
async function outage(world: World, store: TestStore, limiter: { acquire(): Promise<never> }) {
  store.trouble = 'silent';
  const asked = outcome(limiter.acquire());
  await world.advance(timeout);
  asked.permit?.release();
  store.trouble = undefined;
  await world.advance(lease);
}

test.each(['reject', 'admit', 'local'] as const)(
  'without an observer, an outage with onStoreError: %s causes a warning with its cause, and another at its end',
  async (onStoreError) => {
    const { world, store, limiter } = scene({ onStoreError, warns: true });
    await outage(world, store, limiter as never);
    expect(warnings).toEqual([
      expect.stringMatching(
        new RegExp(
          `^HEADGATE_STORE: the store of limit "renders" fails: no answer in time; .*${onStoreError}`,
        ),
      ),
      expect.stringContaining('the store of limit "renders" is back'),
    ]);
  },
);

test('a store that refuses every call causes one warning, and another when it accepts one again', async () => {
  const { store, limiter } = scene({ warns: true });
  store.trouble = 'refused';
  for (let i = 0; i < 3; i++) await expect(limiter.acquire()).rejects.toThrow();
  expect(warnings).toEqual([expect.stringContaining('fails: refused; its callers are rejected')]);
  store.trouble = undefined;
  (await limiter.acquire()).release();
  (await limiter.acquire()).release();
  expect(warnings.slice(1)).toEqual([expect.stringContaining('is back')]);
});

test('refusals and successes that alternate cause two warnings', async () => {
  const { store, limiter } = scene({ warns: true });
  for (let round = 0; round < 3; round++) {
    store.trouble = 'refused';
    await expect(limiter.acquire()).rejects.toThrow();
    store.trouble = undefined;
    (await limiter.acquire()).release();
    await settled();
  }
  expect(warnings).toEqual([
    expect.stringContaining('fails: refused'),
    expect.stringContaining('is back'),
  ]);
});

test.each([
  ['the store failed unexpectedly', 'connect ECONNREFUSED 127.0.0.1:6379', undefined, true],
  ['the store failed unexpectedly', '', 'ECONNREFUSED', true],
  ['cannot connect: ECONNREFUSED', '', 'ECONNREFUSED', false],
])(
  'the warning "%s" of an outage with the client error "%s" and code %s adds the client error: %s',
  async (message, own, code, isAdded) => {
    const { world, store, limiter } = scene({ warns: true });
    const cause = Object.assign(new Error(own), { code });
    const error = new StoreError('ERR_HEADGATE_STORE_DOWN', message, cause);
    vi.spyOn(store, 'send').mockImplementation(async (ops) => ops.map(() => ({ error })));
    const asked = outcome(limiter.acquire());
    await world.advance(timeout);
    expect(asked.error).toMatchObject({ cause });
    const detail = isAdded ? ` (${own || code})` : '';
    expect(warnings).toEqual([expect.stringContaining(`fails: ${message}${detail}; its callers`)]);
  },
);

test('a limiter that is closed before its store accepts a call again reports nothing more', async () => {
  const { store, limiter } = scene({ warns: true });
  store.trouble = 'refused';
  await expect(limiter.acquire()).rejects.toThrow();
  await settled();
  store.trouble = undefined;
  const asked = outcome(limiter.acquire());
  void limiter.close();
  await settled();
  expect(asked.error).toMatchObject({ rejection: { reason: 'closed' } });
  expect(store.calls.at(-1)).toContain('release');
  expect(warnings).toEqual([expect.stringContaining('fails: refused')]);
});

/** Limits on one store that a service has been configured for, except for those whose calls it refuses. */
function misnamed(onStoreError: 'reject' | 'admit' | 'local') {
  const world = new World();
  const store = world.connect();
  const refused = new Set(['a', 'zip']);
  store.objection = (name) => (refused.has(name) ? `no semaphore "${name}"` : undefined);
  const limiters = ['a', 'zip', 'b'].map((name) =>
    world.limiter({ store, name, warns: true, onStoreError }),
  );
  async function runAll() {
    const calls = Promise.allSettled(limiters.map((limiter) => limiter.run(() => {})));
    await world.advance(timeout);
    return calls;
  }
  return { world, store, refused, runAll };
}

const namesIn = (texts: readonly string[]) =>
  texts.map((text) => /limit "(\w+)" (fails|is back)/.exec(text)?.slice(1).join(' '));

test.each(['reject', 'admit', 'local'] as const)(
  'with onStoreError: %s, warnings name each limit whose calls the store refuses, once a minute',
  async (onStoreError) => {
    const { world, refused, runAll } = misnamed(onStoreError);
    for (let second = 0; second < 133; second += 4) {
      const results = (await runAll()).map(({ status }) => status);
      const expected = onStoreError === 'reject' ? 'rejected' : 'fulfilled';
      expect(results).toEqual([expected, expected, 'fulfilled']);
      world.clock.advance(4000 - timeout);
    }
    const minute = ['a fails', 'zip fails'];
    expect(namesIn(warnings)).toEqual([...minute, ...minute, ...minute]);
    refused.delete('zip');
    await runAll();
    expect(namesIn(warnings.slice(6))).toEqual(['zip is back']);
  },
);

test('the end of an outage is reported only for a limit whose calls are not refused', async () => {
  const { world, store, refused, runAll } = misnamed('reject');
  await runAll();
  store.trouble = 'silent';
  await runAll();
  store.trouble = undefined;
  await world.advance(lease);
  await runAll();
  expect(namesIn(warnings)).toEqual(['a fails', 'zip fails', 'a fails', 'b is back']);
  refused.delete('a');
  await runAll();
  expect(namesIn(warnings.slice(4))).toEqual(['a is back']);
});

test('a refusal for a new reason is reported at once, up to ten reasons', async () => {
  const { store, limiter } = scene({ warns: true });
  let call = 1;
  store.objection = () => `reason ${call}`;
  for (call = 1; call <= 30; call++) await limiter.acquire().catch(() => {});
  expect(warnings).toHaveLength(10);
  expect(warnings[1]).toContain('fails: reason 2');
});

test('several limits on one store cause one warning, and a flapping store one per minute', async () => {
  const world = new World();
  const store = world.connect();
  const one = world.limiter({ store, name: 'one', warns: true });
  const two = world.limiter({ store, name: 'two', warns: true });
  store.trouble = 'silent';
  const asked = [outcome(one.acquire()), outcome(two.acquire())];
  await world.advance(timeout);
  store.trouble = undefined;
  await world.advance(lease);
  for (const { error } of asked) expect(error).toMatchObject({ name: 'StoreError' });
  expect(warnings).toHaveLength(2);
  await outage(world, store, one as never);
  expect(warnings).toHaveLength(2);
  world.clock.advance(60_000);
  await outage(world, store, one as never);
  expect(warnings).toHaveLength(4);
});

test('missing messages cause a warning, and with an observer there are no warnings', async () => {
  const world = new World();
  const store = world.connect();
  const events: unknown[] = [];
  const observer = { store: (event: unknown) => events.push(event) };
  const observed = world.limiter({ store, name: 'observed', observer });
  (await observed.acquire()).release();
  const error = new StoreError('ERR_HEADGATE_STORE_TIMEOUT', 'messages do not arrive');
  store.listener?.muted?.(error);
  store.listener?.muted?.(undefined);
  expect(warnings).toEqual([]);
  expect(events).toEqual([
    { name: 'observed', up: true, error },
    { name: 'observed', up: true, error: undefined },
  ]);
  world.limiter({ store, name: 'unobserved', warns: true });
  store.listener?.muted?.(error);
  store.listener?.muted?.(undefined);
  expect(warnings).toEqual([
    expect.stringContaining('limit "unobserved" is impaired: messages do not arrive'),
    expect.stringContaining('is back'),
  ]);
});

test('the observer of a gate receives the events of its store', async () => {
  const world = new World();
  const store = world.connect();
  const events: unknown[] = [];
  const observer = {
    store: (event: unknown) => events.push(event),
    slowed: (event: unknown) => events.push(event),
  };
  const { clock } = world;
  const gate = createGate({ limits: [{ name: 'all', limit: 1, store }], clock });
  gate.observe(observer);
  (await gate.acquire()).release();
  store.listener?.slowed?.('an open transaction');
  store.listener?.muted?.(undefined);
  expect(events).toEqual([
    { name: 'all', reason: 'an open transaction' },
    { name: 'all', up: true, error: undefined },
  ]);
});
