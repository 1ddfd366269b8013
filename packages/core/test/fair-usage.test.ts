import { Caller } from '@headgate/test-kit/caller';
import { lcg } from '@headgate/test-kit/lcg';
import { VirtualClock } from '@headgate/test-suite';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  byPriority,
  byShare,
  createGate,
  createLimiter,
  fair,
  type Order,
  type Permit,
} from '../src/index.ts';
import { askGate } from './ask-gate.ts';

interface Tenant {
  /** The weight with which its requests are admitted. */
  estimate: number;
  /** The tokens that the answer of its next request really has. */
  tokens(): number;
}

/** More than the limit admits at once, so that each tenant always has requests queued. */
const CALLERS = 60;

/**
 * Serves tenants that always have requests queued. In each step, every admitted request receives a token of its answer.
 * Returns the tokens of each tenant.
 */
function serve(tenants: readonly Tenant[], limit: number, steps: number, order: Order = fair()) {
  const clock = new VirtualClock({ random: lcg(7) });
  const limiter = createLimiter({
    limit,
    queueLimit: Infinity,
    queueTimeout: Infinity,
    order,
    clock,
  });
  const tokens = tenants.map(() => 0);
  const waiting = tenants.map(() => new Set<Caller>());
  const streaming = new Map<Caller, { tenant: number; left: number; used: number }>();
  const ask = (tenant: number) => {
    const { estimate, tokens: length } = tenants[tenant] as Tenant;
    const onGranted = () => {
      waiting[tenant]?.delete(caller);
      streaming.set(caller, { tenant, left: length(), used: 0 });
    };
    const caller: Caller = new Caller({ weight: estimate, onGranted });
    caller.fairBy = `${tenant}`;
    waiting[tenant]?.add(caller);
    limiter.request(caller);
  };
  for (let i = 0; i < CALLERS; i++) for (const tenant of tenants.keys()) ask(tenant);
  const start = tokens.map(() => 0);
  for (let step = 0; step < steps; step++) {
    for (const [caller, answer] of [...streaming]) {
      const { permit } = caller;
      answer.used++;
      answer.left--;
      tokens[answer.tenant] = (tokens[answer.tenant] ?? 0) + 1;
      if (answer.used > (permit?.weight ?? 0)) permit?.adjust(answer.used);
      if (answer.left > 0) continue;
      permit?.adjust(answer.used);
      streaming.delete(caller);
      permit?.release();
      ask(answer.tenant);
    }
    // The requests admitted at first did not compete.
    if (step === steps / 10) start.splice(0, start.length, ...tokens);
    for (const queued of waiting) expect(queued.size).toBeGreaterThan(0);
  }
  return tokens.map((all, tenant) => all - (start[tenant] ?? 0));
}

const fixed = (tokens: number, estimate = 5): Tenant => ({ estimate, tokens: () => tokens });

it('a tenant whose answers are five times as long as estimated gets no more tokens', () => {
  const [long = 0, short = 0] = serve([fixed(25), fixed(5)], 40, 2_000);
  expect(Math.max(long / short, short / long)).toBeLessThan(1.1);
});

it('a tenant whose answers are shorter than estimated gets no fewer tokens', () => {
  const [long = 0, short = 0] = serve([fixed(10, 10), fixed(2, 10)], 40, 2_000);
  expect(Math.max(long / short, short / long)).toBeLessThan(1.1);
});

it('corrected weights count in nested orders', () => {
  const order = byPriority(fair());
  const [long = 0, short = 0] = serve([fixed(25), fixed(5)], 40, 2_000, order);
  expect(Math.max(long / short, short / long)).toBeLessThan(1.1);
});

it('two tenants that always wait differ by at most twice the tokens in flight (VTC)', () => {
  const tenant = fc.record({
    estimate: fc.integer({ min: 1, max: 10 }),
    lengths: fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 5 }),
  });
  fc.assert(
    fc.property(tenant, tenant, fc.integer({ min: 10, max: 40 }), (one, other, limit) => {
      const tenants = [one, other].map(({ estimate, lengths }): Tenant => {
        let next = 0;
        return { estimate, tokens: () => lengths[next++ % lengths.length] as number };
      });
      const [mine = 0, theirs = 0] = serve(tenants, limit, 500);
      // Each of the admitted requests may be charged for 1 token, and use 30.
      const inFlight = limit * 30;
      expect(Math.abs(mine - theirs)).toBeLessThanOrEqual(2 * inFlight);
    }),
    { numRuns: 50 },
  );
});

/** A limit of 1 whose permit is held, with one waiter for each of these flows. */
function contended(order: Order, flows: readonly string[], fields: Partial<Caller> = {}) {
  const limiter = createLimiter({ limit: 1, queueTimeout: Infinity, order });
  const granted: (string | undefined)[] = [];
  const ask = (fairBy: string) => {
    const caller: Caller = new Caller({ onGranted: () => granted.push(caller.fairBy) });
    Object.assign(caller, fields, { fairBy });
    limiter.request(caller);
    return caller;
  };
  const first = ask('first');
  const callers = flows.map(ask);
  return { first, callers, granted };
}

/** Releases all permits until none is held. */
function releaseAll(callers: readonly Caller[]) {
  for (let i = 0; i < callers.length; i++) for (const { permit } of callers) permit?.release();
}

it('usage that is known only after the release is charged too', () => {
  const { first, callers, granted } = contended(fair(), ['greedy', 'modest', 'greedy', 'modest']);
  first.permit?.release();
  callers[0]?.permit?.release();
  callers[0]?.permit?.adjust(3);
  releaseAll(callers);
  expect(granted).toEqual(['first', 'greedy', 'modest', 'modest', 'greedy']);
});

it('a flow inherits no debt of another flow, although subqueues are few', () => {
  const clock = new VirtualClock({ random: lcg(7) });
  const options = { limit: 1, queueLimit: Infinity, queueTimeout: Infinity, order: fair(), clock };
  const limiter = createLimiter(options);
  const granted: string[] = [];
  let held: Permit | undefined;
  const ask = (fairBy: string, used = 1) => {
    const onGranted = (permit: Permit) => {
      held = permit;
      granted.push(fairBy);
      permit.adjust(used);
    };
    limiter.request(Object.assign(new Caller({ onGranted }), { fairBy }));
  };
  ask('first');
  for (let i = 0; i < 20; i++) ask(`greedy${i}`, 1_000);
  for (let i = 0; i < 500; i++) ask('usual');
  for (let i = 0; i < 25; i++) held?.release();
  for (let i = 0; i < 50; i++) ask(`modest${i}`);
  granted.length = 0;
  for (let i = 0; i < 110; i++) held?.release();
  expect(granted.filter((name) => name.startsWith('modest'))).toHaveLength(50);
});

it('a request that was admitted at once is charged to its flow', () => {
  const { first, callers, granted } = contended(fair(), ['first', 'other', 'other']);
  first.permit?.adjust(3);
  first.permit?.release();
  releaseAll(callers);
  expect(granted).toEqual(['first', 'other', 'other', 'first']);
});

it('a request that was admitted at once was not charged, so a correction returns nothing', () => {
  const { ask, granted } = flows(10);
  const first = ask('greedy');
  const waiting = ['modest', 'modest', 'greedy', 'greedy'].map(ask);
  for (const weight of [1, 10, 1]) first.permit?.adjust(weight);
  first.permit?.release();
  releaseAll(waiting);
  expect(granted).toEqual(['greedy', 'modest', 'greedy', 'modest', 'greedy']);
});

it('a correction returns nothing of a charge that the empty queue has forgotten', () => {
  const { ask, granted } = flows(20);
  const first = [ask('other'), ask('other')];
  const second = [ask('greedy'), ask('modest')];
  releaseAll(first);
  const waiting = ['modest', 'modest', 'greedy', 'greedy'].map(ask);
  second[0]?.permit?.adjust(1);
  granted.length = 0;
  releaseAll([...second, ...waiting]);
  expect(granted).toEqual(['modest', 'greedy', 'modest', 'greedy']);
});

/** A limit with `fair()`, and requests of weight 10. Returns the flows of those granted. */
function flows(limit: number) {
  const limiter = createLimiter({ limit, queueTimeout: Infinity, order: fair() });
  const granted: (string | undefined)[] = [];
  const ask = (fairBy: string) => {
    const caller: Caller = new Caller({ weight: 10, onGranted: () => granted.push(caller.fairBy) });
    caller.fairBy = fairBy;
    limiter.request(caller);
    return caller;
  };
  return { ask, granted };
}

it('an adjustment in one share or priority does not charge another one', () => {
  const order = byShare({ paid: 0.5 }, byPriority(fair()));
  const fields = { share: 'paid', priority: 'critical' } as const;
  const { first, callers, granted } = contended(order, ['first', 'other', 'other'], fields);
  first.permit?.adjust(3);
  first.permit?.release();
  releaseAll(callers);
  expect(granted).toEqual(['first', 'other', 'other', 'first']);
});

it('a gate charges the flow of a request that it admits at once', () => {
  const gate = createGate({
    limits: [
      { name: 'requests', limit: 1 },
      { name: 'tokens', limit: 100 },
    ],
    order: fair(),
    queueTimeout: Infinity,
  });
  const granted: (string | undefined)[] = [];
  const callers = ['first', 'first', 'other', 'other'].map((fairBy) => {
    const caller: Caller = new Caller({ onGranted: () => granted.push(caller.fairBy) });
    caller.fairBy = fairBy;
    askGate(gate, caller, [{ weight: 1 }, { weight: 1 }]);
    return caller;
  });
  callers[0]?.permit?.adjust(3, 'requests');
  releaseAll(callers);
  expect(granted).toEqual(['first', 'other', 'other', 'first']);
});
