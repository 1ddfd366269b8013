import { type LockClientOptions, lockClient } from '@headgate/server-client';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Asked, fine, startFake } from './fake-service.ts';

function connect(options: LockClientOptions) {
  const client = lockClient(options);
  onTestFinished(() => client.close());
  return client;
}

const isLock = ({ method, path }: Asked) => method === 'PUT' && path.split('/').length === 4;
const isHeartbeat = ({ method, path }: Asked) => method === 'PUT' && path.split('/').length === 3;

test.each([408, 444, 499, 500, 502, 503, 504, 509, 521, 599])(
  'a request answered with %i is retried',
  async (status) => {
    let left = 2;
    const fake = await startFake((asked) =>
      isLock(asked) && left-- > 0 ? [status, 'not now'] : fine(asked),
    );
    const lock = await connect({ url: fake.url }).lock('A');
    expect(fake.asked.filter(isLock).length).toBe(3);
    await lock.release();
  },
);

test.each([400, 401, 404, 405, 409, 413, 415, 422, 429, 501, 505, 506, 507, 508, 510, 511])(
  'a request answered with %i is not retried',
  async (status) => {
    const fake = await startFake((asked) => (isLock(asked) ? [status, 'no'] : fine(asked)));
    const client = connect({ url: fake.url });
    await expect(client.lock('A')).rejects.toMatchObject({
      code: 'ERR_HEADGATE_STORE_REFUSED',
      message: `the semaphore service answered ${status}: no`,
      cause: { status, text: 'no' },
    });
    await client.close();
    expect(fake.asked.filter(isLock).length).toBe(1);
    // Whatever the request changed is undone.
    expect(fake.asked.at(-1)?.method).toBe('DELETE');
  },
);

test('an unanswered request is retried, and so is a release', async () => {
  let cuts = 0;
  const fake = await startFake((asked) => (cuts++ % 2 === 0 ? 'cut' : fine(asked)));
  const lock = await connect({ url: fake.url }).lock('A');
  await lock.release();
  const methods = fake.asked.map(({ method }) => method);
  expect(methods).toEqual(['POST', 'POST', 'PUT', 'PUT', 'DELETE', 'DELETE']);
});

test('a request that always fails is given up', async () => {
  // Otherwise the last attempt may begin just before the timeout, which then ends it.
  const random = vi.spyOn(Math, 'random').mockReturnValue(0.5);
  onTestFinished(() => random.mockRestore());
  const fake = await startFake(() => [503, 'closed today']);
  const began = performance.now();
  await expect(connect({ url: fake.url }).lock('A', { timeout: 3_500 })).rejects.toMatchObject({
    message: 'the semaphore service answered 503: closed today',
  });
  // Ten attempts take more than ten seconds.
  expect(performance.now() - began).toBeLessThan(5_000);
  // Delays of 100, 200, 400, 800, 1,600 and 3,200 ms, each shortened by a quarter: the sixth attempt begins more than a
  // second before the timeout, and the next one would begin as much after it.
  expect(fake.asked.length).toBe(6);
});

test('lock() rejects between two attempts when its signal aborts', async () => {
  const fake = await startFake(() => [503, 'not now']);
  const reason = new Error('no longer wanted');
  const abort = new AbortController();
  const lock = connect({ url: fake.url }).lock('A', { signal: abort.signal });
  lock.catch(() => {});
  await vi.waitFor(() => expect(fake.asked.length).toBeGreaterThan(1), 10_000);
  abort.abort(reason);
  await expect(lock).rejects.toBe(reason);
});

test('a waiter asks the service to block for 5 seconds at a time, within its timeout', async () => {
  let attempts = 0;
  const fake = await startFake((asked) => {
    if (!isLock(asked)) return fine(asked);
    return [attempts++ < 2 ? 202 : 200, asked.path.split('/')[2] as string];
  });
  const lock = await connect({ url: fake.url, leaseDuration: 60_000 }).lock('A', {
    timeout: 6_000,
  });
  await lock.release();
  const blocked = fake.asked
    .filter(isLock)
    .map(({ query }) => Number.parseInt(query.get('block_for') as string, 10));
  expect(blocked.slice(0, 2)).toEqual([5_000, 5_000]);
  expect(fake.asked.filter(isLock).map(({ query }) => query.get('expires_in'))).toEqual(
    Array(3).fill('60000ms'),
  );
});

test('a request is never blocked so long that the lease could expire', async () => {
  const fake = await startFake();
  const lock = await connect({ url: fake.url, leaseDuration: 300 }).lock('A');
  await lock.release();
  expect(fake.asked.find(isLock)?.query.get('block_for')).toBe('100ms');
});

test('a lease is renewed within a third of its duration, repeatedly', async () => {
  const fake = await startFake();
  const lease = 3_000;
  const lock = await connect({ url: fake.url, leaseDuration: lease }).lock('A');
  await vi.waitFor(() => expect(fake.asked.filter(isHeartbeat).length).toBe(2), 10_000);
  await lock.release();
  const times = fake.asked.filter((asked) => isLock(asked) || isHeartbeat(asked));
  const gaps = times.slice(1).map(({ at }, index) => at - (times[index]?.at as number));
  // A busy machine may delay one of them.
  expect(Math.min(...gaps)).toBeLessThan(lease / 2);
  expect(times.at(-1)?.body).toBe('{"expires_in":"3000ms"}');
  expect(lock.signal.aborted).toBe(false);
});

test('a lease of a year is not renewed immediately', async () => {
  const fake = await startFake();
  const lock = await connect({ url: fake.url, leaseDuration: 365 * 86_400_000 }).lock('A');
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(fake.asked.filter(isHeartbeat)).toEqual([]);
  expect(lock.signal.aborted).toBe(false);
  await lock.release();
});

test('two failed heartbeats are retried before the lease expires', async () => {
  let failures = 0;
  const fake = await startFake((asked) =>
    isHeartbeat(asked) && failures++ < 2 ? [503, 'not now'] : fine(asked),
  );
  const lock = await connect({ url: fake.url, leaseDuration: 4_500 }).lock('A');
  await vi.waitFor(() => expect(fake.asked.filter(isHeartbeat).length).toBe(3), 10_000);
  expect(lock.signal.aborted).toBe(false);
  await lock.release();
});

test('an unknown peer is restored while its lease cannot have expired', async () => {
  let isForgotten = true;
  const fake = await startFake((asked) => {
    if (!isHeartbeat(asked) || !isForgotten) return fine(asked);
    isForgotten = false;
    return [400, 'Unknown peer'];
  });
  const lock = await connect({ url: fake.url, leaseDuration: 3_000 }).lock('A', { count: 3 });
  const restores = () => fake.asked.filter(({ path }) => path === '/restore');
  await vi.waitFor(() => expect(restores().length).toBe(2), 10_000);
  const [made, restored] = restores().map(({ body }) => body);
  expect(made).toMatch(/^\{"expires_in":"3000ms","peer_id":\d+,"acquired":\{\}\}$/);
  expect(restored).toBe(made?.replace('{}', '{"A":3}'));
  expect(lock.signal.aborted).toBe(false);
  await lock.release();
});

test('a released lock is not restored by a heartbeat in flight', async () => {
  let answer: (said: [number, string]) => void = () => {};
  const lateAnswer = new Promise<[number, string]>((resolve) => {
    answer = resolve;
  });
  const fake = await startFake((asked) => (isHeartbeat(asked) ? lateAnswer : fine(asked)));
  const lock = await connect({ url: fake.url, leaseDuration: 1_500 }).lock('A');
  await vi.waitFor(() => expect(fake.asked.filter(isHeartbeat).length).toBe(1), 5_000);
  const released = lock.release();
  answer([400, 'Unknown peer']);
  await released;
  // Gives a wrong restore time to arrive.
  for (let i = 0; i < 3; i++) await fetch(fake.url);
  const methods = fake.asked.map(({ method }) => method).filter((method) => method !== 'GET');
  expect(methods).toEqual(['POST', 'PUT', 'PUT', 'DELETE']);
});

test('a service that forgets new peers is not retried forever', async () => {
  const fake = await startFake((asked) => (isLock(asked) ? [400, 'Unknown peer'] : fine(asked)));
  await expect(connect({ url: fake.url }).lock('A')).rejects.toMatchObject({
    code: 'ERR_HEADGATE_STORE_REFUSED',
    message: expect.stringContaining('forgets'),
  });
  expect(fake.asked.filter(isLock).length).toBe(3);
});

test('an answer from another kind of server is not a lock', async () => {
  const fake = await startFake((asked) => (isLock(asked) ? [200, '<!doctype html>'] : fine(asked)));
  await expect(connect({ url: fake.url }).lock('A')).rejects.toMatchObject({
    code: 'ERR_HEADGATE_STORE_REFUSED',
    cause: { status: 200, text: '<!doctype html>' },
  });
});

test('close() rejects a waiting caller immediately', async () => {
  const fake = await startFake((asked) => (isLock(asked) ? undefined : fine(asked)));
  const client = connect({ url: fake.url });
  const lock = client.lock('A');
  lock.catch(() => {});
  await vi.waitFor(() => expect(fake.asked.filter(isLock).length).toBe(1), 10_000);
  await client.close();
  await expect(lock).rejects.toMatchObject({ code: 'ERR_HEADGATE_STORE_DOWN' });
  // With retries it would take ten times as long.
}, 10_000);

test('an endless answer is cut off', async () => {
  const fake = await startFake((asked) =>
    isLock(asked) ? [200, 'x'.repeat(40_000_000)] : fine(asked),
  );
  await expect(connect({ url: fake.url }).lock('A', { timeout: 10_000 })).rejects.toMatchObject({
    message: 'the semaphore service answers with more than 32000000 characters',
  });
});

test('peer ids keep all of their 64 bits', async () => {
  const fake = await startFake();
  const client = connect({ url: fake.url });
  const locks = await Promise.all(Array.from({ length: 20 }, () => client.lock('A')));
  await Promise.all(locks.map((lock) => lock.release()));
  const ids = fake.asked.flatMap(({ body }) => /"peer_id":(\d+)/.exec(body)?.[1] ?? []);
  expect(new Set(ids).size).toBe(20);
  for (const id of ids) {
    expect(fake.asked.filter(({ path }) => path === `/peers/${id}/A`).length).toBe(1);
    expect(fake.asked.filter(({ path }) => path === `/peers/${id}`).length).toBe(1);
  }
  // Practically certain with 20 random ids.
  expect(ids.some((id) => BigInt(id) > 2n ** 63n)).toBe(true);
  expect(ids.some((id) => BigInt(Number(id)) !== BigInt(id))).toBe(true);
});

test('an idle connection that the service has closed makes no request fail', async () => {
  const fake = await startFake();
  const client = connect({ url: fake.url });
  for (let i = 0; i < 20; i++) {
    const lock = await client.lock('A');
    fake.closeIdle();
    await lock.release();
  }
  expect(fake.asked.filter(isLock).length).toBe(20);
});
