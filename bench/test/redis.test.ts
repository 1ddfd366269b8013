import { startRedis } from '@headgate/test-servers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { open } from '../src/redis/contenders.ts';
import { figuresOf } from '../src/redis/crowd-case.ts';
import { scriptCost } from '../src/redis/script-cost.ts';

const served = (waits: number[], operations = {}) => ({
  waits: Float64Array.from(waits),
  operations,
});

it("sums the results of a crowd's processes", () => {
  const processes = [served([1, 2, 3], { acquire: 4 }), served([9], { acquire: 2, release: 2 })];
  expect(figuresOf({ commands: 8, calls: 10, spent: 40 }, processes, 500)).toEqual({
    rate: 8,
    commands: 2,
    operations: { acquire: 1.5, release: 0.5 },
    spent: 10,
    spentPerCall: 4,
    p50: 2,
    p99: 9,
    longest: 9,
    inequality: 3,
  });
});

it('counts all scripts sent to Redis, but not the commands they call', () => {
  const info = [
    '# Commandstats',
    'cmdstat_evalsha:calls=7,usec=70,usec_per_call=10.00,rejected_calls=0,failed_calls=0',
    'cmdstat_zadd:calls=9,usec=90,usec_per_call=10.00,rejected_calls=0,failed_calls=0',
    'cmdstat_eval:calls=1,usec=30,usec_per_call=30.00,rejected_calls=0,failed_calls=0',
  ].join('\r\n');
  expect(scriptCost(info)).toEqual({ calls: 8, spent: 100 });
});

describe('the bound', () => {
  let server: Awaited<ReturnType<typeof startRedis>>;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.stop());

  it('admits up to its limit, then one waiter per release, in FIFO order', async () => {
    const { port } = server;
    const bound = await open({ contender: 'minimal', port, name: 'n', limit: 2, lease: 10_000 });
    const held = [await bound.acquire(), await bound.acquire()];
    const order: string[] = [];
    const waiting = ['first', 'second', 'third'].map(async (name) => {
      const place = await bound.acquire();
      order.push(name);
      return place;
    });
    await held[0]?.release();
    const first = await waiting[0];
    expect(order).toEqual(['first']);
    await first?.release();
    await held[1]?.release();
    for (const place of await Promise.all(waiting.slice(1))) await place.release();
    expect(order).toEqual(['first', 'second', 'third']);
  });
});
