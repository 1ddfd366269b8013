import { createGate } from '@headgate/core';
import { expect, it } from 'vitest';
import { outcome, settled, World } from './world.ts';

interface Observed {
  readonly kind: string;
  readonly request: object;
}

const kinds = ['asked', 'queued', 'admitted', 'rejected', 'withdrawn', 'released', 'resized'];

function recording() {
  const events: Observed[] = [];
  const entries = kinds.map((kind) => [
    kind,
    (event: object) => events.push({ kind, ...(event as { request: object }) }),
  ]);
  return {
    observer: Object.fromEntries(entries) as object,
    /** The events since the last call, by the order in which requests appear. */
    seen: () => {
      const ids = [...new Set(events.map(({ request }) => request))];
      return events.splice(0).map(({ kind, request }) => `${kind} ${ids.indexOf(request)}`);
    },
  };
}

it('`asked` is reported at once for a distributed limit, and the answer reports `queued` or `admitted`', async () => {
  const world = new World();
  const limiter = world.limiter();
  const { observer, seen } = recording();
  const remove = limiter.observe(observer);
  const first = limiter.acquire();
  const second = outcome(limiter.acquire());
  expect(seen()).toEqual(['asked 0', 'asked 1']);
  const permit = await first;
  await settled();
  permit.release();
  await settled();
  second.permit?.release();
  await settled();
  expect(seen()).toEqual(['admitted 0', 'queued 1', 'released 0', 'admitted 1', 'released 1']);
  remove();
  await limiter.run(() => {});
  expect(seen()).toEqual([]);
});

it('`asked` is also reported for a request that the store rejects, or that leaves before the answer', async () => {
  const world = new World();
  const limiter = world.limiter({ queueLimit: 0 });
  const { observer, seen } = recording();
  limiter.observe(observer);
  const permit = await limiter.acquire();
  const refused = outcome(limiter.acquire());
  await settled();
  expect(refused.error).toMatchObject({ rejection: { reason: 'full' } });
  const abort = new AbortController();
  const left = outcome(limiter.acquire({ signal: abort.signal }));
  abort.abort(new Error('gone'));
  await settled();
  expect(left.error).toMatchObject({ message: 'gone' });
  permit.release();
  expect(seen()).toEqual([
    ...['asked 0', 'admitted 0', 'asked 1', 'rejected 1'],
    ...['asked 2', 'withdrawn 2', 'released 0'],
  ]);
});

it('a gate reports each request once, and the changes of its distributed limit', async () => {
  const world = new World();
  const gate = createGate({
    limits: [
      { name: 'user', limit: 1, perKey: true },
      { name: 'renders', limit: 1, store: world.connect() },
    ],
    queueLimit: 5,
    clock: world.clock,
  });
  const { observer, seen } = recording();
  gate.observe(observer);
  const acquired = gate.acquire({ keys: { user: 'a' } });
  expect(seen()).toEqual(['asked 0']);
  (await acquired).release();
  Object.values(gate.limiters)[1]?.setLimit(2);
  expect(seen().map((event) => event.split(' ')[0])).toEqual(['admitted', 'released', 'resized']);
  await gate.close();
});
