import type { OperatedChange } from '@headgate/store-kit';
import fc from 'fast-check';
import { it } from 'vitest';
import { type Ask, ModelRun, type Step } from '../model-run.ts';
import type { StoreWorld } from '../store-world.ts';

function asks({ lease, driver }: StoreWorld): fc.Arbitrary<Ask> {
  const key = fc.nat(1);
  const at = fc.nat(30);
  const weight = fc.constantFrom(1, 1, 1, 2, 3);
  const wishes = fc.record({
    weight,
    wait: fc.constantFrom(0, 50_000, 50_000, 50_000, driver.elapse ? 0.7 * lease : 50_000),
    queueLimit: fc.constantFrom(1, 3, 100, 100),
  });
  const verbs = fc.constantFrom(
    ...(['stay', 'stay', 'renew', 'renew', 'release', 'release', 'release', 'resize'] as const),
  );
  const arbitraries: fc.WeightedArbitrary<Ask>[] = [
    { weight: 8, arbitrary: fc.record({ verb: fc.constant('acquire' as const), key, wishes }) },
    { weight: 1, arbitrary: fc.record({ verb: fc.constant('register' as const), key, wishes }) },
    {
      weight: 10,
      arbitrary: fc.record({ verb: verbs, at, weight }),
    },
    { weight: 1, arbitrary: fc.record({ verb: fc.constant('again' as const), at }) },
  ];
  const limit = fc.integer({ min: 1, max: 5 });
  const changes = fc.constantFrom('declare', 'setLimit', 'setLimit');
  const setLimit = fc.record({ verb: changes, key, limit });
  arbitraries.push({ weight: 2, arbitrary: setLimit });
  const change = fc.oneof(
    fc.record({ status: fc.constantFrom('open', 'open', 'paused', 'rejecting') }),
    fc.record({ mode: fc.constantFrom('enforce', 'shadow') }),
  ) as fc.Arbitrary<OperatedChange>;
  const operate = fc.record({ verb: fc.constant('operate' as const), key, change });
  arbitraries.push({ weight: 1, arbitrary: operate });
  // Longer than the test.
  const pause = fc.constantFrom(0, 0, 3_000_000);
  const pauseFor = fc.record({ verb: fc.constant('pauseFor' as const), key, pause });
  arbitraries.push({ weight: 1, arbitrary: pauseFor });
  return fc.oneof(...arbitraries);
}

function steps(world: StoreWorld): fc.Arbitrary<Step[]> {
  const { driver, lease } = world;
  const together = fc.array(asks(world), { minLength: 1, maxLength: 6 });
  const batch = fc.record({ process: fc.nat(2), asks: together });
  const arbitraries: fc.WeightedArbitrary<Step>[] = [{ weight: 12, arbitrary: batch }];
  if (driver.elapse !== undefined) {
    // No sum of these numbers equals a lease duration or a wait, so no operation happens exactly at an expiry.
    const parts = fc.constantFrom(0.137, 0.311, 0.399);
    const elapse = parts.map((part) => ({ elapse: part * lease }));
    arbitraries.push({ weight: 4, arbitrary: elapse });
  }
  if (driver.wipe !== undefined) {
    arbitraries.push({ weight: 1, arbitrary: fc.constant('wipe' as const) });
  }
  return fc.array(fc.oneof(...arbitraries), { maxLength: 40, size: 'max' });
}

/** Three processes use two limits at random. The store must reply as the model does. */
export function model(world: StoreWorld): void {
  // In virtual time, more runs are cheap.
  const isQuick = world.driver.elapse !== undefined;
  const limit = fc.integer({ min: 1, max: 4 });
  const same = limit.map((value) => [value, value, value]);
  const limits = fc.oneof(same, fc.tuple(limit, limit, limit));

  it('replies to random operations as the model does', { timeout: 120_000 }, async () => {
    const open = () => world.process(isQuick);
    const processes = [await open(), await open(), await open()];
    const property = fc.asyncProperty(limits, steps(world), async (declared, all) => {
      const run = new ModelRun(world, processes, declared);
      for (const step of all) await run.step(step);
      await run.end();
    });
    await fc.assert(property, { numRuns: isQuick ? 300 : 60 });
  });
}
