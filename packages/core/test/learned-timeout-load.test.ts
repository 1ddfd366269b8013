import { call } from '@headgate/test-kit/caller';
import { lcg } from '@headgate/test-kit/lcg';
import { VirtualClock } from '@headgate/test-suite';
import { describe, expect, it } from 'vitest';
import { byPriority, byShare, createLimiter, fair, lifo, type Permit } from '../src/index.ts';
import { impatient, type Load, priorityOf } from './impatient-load.ts';

const server = { limit: 4, work: 40 };

describe('at a limit of 4 requests of 40 ms', () => {
  it.each(
    [1.2, 2, 5].flatMap((load) => [200, 500, 1500, 3000].map((timeout) => ({ load, timeout }))),
  )(
    'at $load × the capacity, clients that leave after $timeout ms get answers in time, and the others are rejected',
    (by) => {
      const { answered, told } = impatient({ ...server, ...by });
      expect(answered).toBeGreaterThan(0.95);
      expect(told).toBeGreaterThan(0.85);
    },
  );

  it('the waits of clients that leave after 500 ms end before, as timeouts', () => {
    const { rejected } = impatient({ ...server, load: 2, timeout: 500 });
    // Until the first answers have come too late, waits may be longer.
    const later = rejected.slice(rejected.length / 10);
    expect(new Set(later.map(({ reason }) => reason))).toEqual(new Set(['timeout']));
    const waits = later.map(({ waited }) => waited).sort((one, other) => one - other);
    expect(waits[Math.floor(0.95 * waits.length)]).toBeLessThan(490);
    expect(waits[Math.floor(0.05 * waits.length)]).toBeGreaterThan(350);
  });

  const prepare: Load['prepare'] = (client, random) => {
    client.priority = priorityOf(random);
    client.fairBy = random < 0.2 ? 'ann' : random < 0.6 ? 'bob' : 'cid';
  };

  it.each([
    ['byPriority()', byPriority(), prepare],
    ['fair()', fair(), prepare],
    [
      'byShare()',
      byShare({ gold: 0.5, free: 0.3 }),
      ((client, random) => {
        client.share = random < 0.4 ? 'gold' : random < 0.8 ? 'free' : undefined;
      }) satisfies Load['prepare'],
    ],
  ])('with %s, answers come in time, and the others are rejected', (_, order, prepareOwn) => {
    const options = { order };
    const load = { ...server, load: 2, timeout: 500, options, prepare: prepareOwn };
    const { answered, told } = impatient(load);
    expect(answered).toBeGreaterThan(0.95);
    expect(told).toBeGreaterThan(0.8);
  });

  it('with lifo(), answers come in time, and nothing is learned: its waiters are never late', () => {
    const options = { order: lifo() };
    const { answered, rejected } = impatient({ ...server, load: 2, timeout: 500, options });
    expect(answered).toBeGreaterThan(0.95);
    expect(rejected).toEqual([]);
  });

  it('each key serves its clients in time', () => {
    const options = { perKey: true };
    const prepareKey: Load['prepare'] = (client, random) => {
      client.key = random < 0.5 ? 'a' : 'b';
    };
    // Both keys together serve twice as much, and both get twice their capacity.
    const load = { ...server, load: 4, timeout: 500, options, prepare: prepareKey };
    expect(impatient(load).answered).toBeGreaterThan(2 * 0.95);
  });
});

/** Lets all promises settle. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

it('acquire() with a signal is rejected before the signal would abort, once others were aborted too late', async () => {
  const clock = new VirtualClock({ random: lcg(2) });
  const limiter = createLimiter({ limit: 2, clock });
  const counts = { answered: 0, told: 0, aborted: 0 };
  async function client() {
    const controller = new AbortController();
    const { signal } = controller;
    clock.setTimeout(() => controller.abort(), 500);
    try {
      const permit = await limiter.acquire({ signal });
      clock.setTimeout(() => {
        counts[signal.aborted ? 'aborted' : 'answered']++;
        permit.release();
      }, 40);
    } catch (error) {
      counts[signal.aborted ? 'aborted' : 'told']++;
      if (!signal.aborted) expect(error).toMatchObject({ rejection: { reason: 'timeout' } });
    }
  }
  for (let time = 0; time < 20_000; time += 10) {
    void client();
    clock.advance(10);
    await settle();
  }
  const { answered, told, aborted } = counts;
  // The capacity is 50 per second.
  expect(answered).toBeGreaterThan(0.95 * 50 * 20);
  expect(told / (told + aborted)).toBeGreaterThan(0.85);
});

it('after an overload of clients that leave, a burst of patient ones is served completely', () => {
  const clock = new VirtualClock({ random: lcg(2) });
  const limiter = createLimiter({ limit: 4, clock });
  const ask = (timeout: number) => {
    const left = () => clock.now() >= end;
    const end = clock.now() + timeout;
    const onGranted = (permit: Permit) => clock.setTimeout(() => permit.release(), 40);
    return call(limiter, { gone: left, onGranted });
  };
  for (let time = 0; time < 10_000; time += 5) {
    ask(300);
    clock.advance(5);
  }
  expect(limiter.stats().rejected.timeout).toBeGreaterThan(700);
  while (clock.armed > 0) clock.advance(1000);
  const burst = Array.from({ length: 190 }, () => ask(5000));
  while (clock.armed > 0) clock.advance(1000);
  expect(burst.filter(({ permit }) => permit === undefined)).toEqual([]);
});
