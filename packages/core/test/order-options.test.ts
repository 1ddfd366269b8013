import { memoryStore } from '@headgate/store-kit/memory-store';
import { expect, it } from 'vitest';
import {
  byPriority,
  byShare,
  createGate,
  createLimiter,
  fair,
  fifo,
  lifo,
  type Order,
} from '../src/index.ts';
import { http } from './message-of.ts';

const parts = { gold: 0.5 };

const orders: [string, Order, ignores: string[]][] = [
  ['fifo()', fifo(), ['priority', 'fairBy']],
  ['lifo()', lifo(), ['priority', 'fairBy']],
  ['byPriority()', byPriority(), ['fairBy']],
  ['fair()', fair(), ['priority']],
  ['byPriority(fair(lifo()))', byPriority(fair(lifo())), []],
  ['fair(byPriority())', fair(byPriority()), []],
  ['byShare()', byShare(parts), ['priority', 'fairBy']],
  ['byShare(parts, byPriority())', byShare(parts, byPriority()), ['fairBy']],
];

const values = { priority: 'high', fairBy: 'ann' } as const;
const options = ['priority', 'fairBy'] as const;

/** The options among both with which the call rejects because they have no effect. */
async function refused(call: (option: object) => Promise<unknown>): Promise<string[]> {
  const names: string[] = [];
  for (const option of options) {
    await call({ [option]: values[option] }).catch((error) => {
      expect(error).toMatchObject({ code: 'ERR_HEADGATE_OPTION', option });
      names.push(option);
    });
  }
  return names;
}

it.each(orders)(
  'a limiter with %s refuses the options that it ignores',
  async (_, order, ignores) => {
    const limiter = createLimiter({ limit: 9, order });
    expect(await refused((option) => limiter.run(() => {}, option))).toEqual(ignores);
    expect(await refused((option) => limiter.acquire(option))).toEqual(ignores);
    expect(limiter.inflight).toBe(2 - ignores.length);
  },
);

it('the error names the order that has the option', async () => {
  const limiter = createLimiter({ name: 'renders', limit: 9 });
  await expect(limiter.run(() => {}, { priority: 'high' })).rejects.toThrow(
    'priority must be omitted, as the order of "renders" is not byPriority(), got "high"',
  );
  await expect(limiter.acquire({ fairBy: 'ann' })).rejects.toThrow('"renders" is not fair()');
});

it('a limiter with a store refuses both priority and fairBy', async () => {
  const store = memoryStore();
  const limiter = createLimiter({ name: 'renders', limit: 9, store });
  expect(await refused((option) => limiter.run(() => {}, option))).toEqual(options);
  await store.close();
});

const byClass = createLimiter({ name: 'by class', limit: 9, order: byPriority() });
const plain = { name: 'plain', limit: 9 };
const guard = { name: 'guard', admits: () => true };

it.each([
  ['of one limit', { limits: [plain] }, ['priority', 'fairBy']],
  ['of several limits', { limits: [plain, { name: 'app', limit: 9 }] }, ['priority', 'fairBy']],
  ['with an order', { limits: [plain], order: byPriority() }, ['fairBy']],
  ['of which one limit heeds priorities', { limits: [plain, { limiter: byClass }] }, ['fairBy']],
  ['with a guard', { limits: [plain], guard }, ['fairBy']],
  ['with only a guard', { limits: [], guard }, []],
])('a gate %s refuses the options that all of its limits ignore', async (_, settings, ignores) => {
  const gate = createGate(settings);
  expect(await refused((option) => gate.run(() => {}, option))).toEqual(ignores);
  expect(await refused((option) => gate.acquire(option))).toEqual(ignores);
});

it('a middleware refuses functions that its reused limiters ignore', () => {
  const limiter = createLimiter({ name: 'renders', limit: 9 });
  const read = () => undefined;
  expect(() => http({ limiter, priority: read })).toThrow(
    'priority must be omitted as the order of "renders" is not byPriority(), got a function',
  );
  expect(() => http({ limiter, fairBy: read })).toThrow('"renders" is not fair()');
  http({ limiter, priority: read, guard });
  http({ limiter: byClass, priority: read });
  http({ limits: [{ ...plain }, { limiter }], priority: read, fairBy: read });
});
