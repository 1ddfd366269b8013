import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { CallFault, Faults, MessageFault } from '../../src/store/faulty-store.ts';
import { DistributedScene, type Licence, lease, type SceneOptions } from './distributed-scene.ts';

interface Step {
  readonly name: string;
  toString(): string;
  act(scene: DistributedScene): unknown;
}

const process = fc.nat(2);
const at = fc.nat(20);

function step<T>(
  name: string,
  arbitrary: fc.Arbitrary<T>,
  act: (scene: DistributedScene, value: T) => unknown,
) {
  return arbitrary.map(
    (value): Step => ({
      name,
      act: (scene) => act(scene, value),
      // Shown by fast-check in a counterexample.
      toString: () => `${name}(${fc.stringify(value)})`,
    }),
  );
}

const weight = fc.constantFrom(1, 1, 1, 2, 3);
const wait = fc.constantFrom(700, 700, 700, 130, 2500);
const key = fc.constantFrom('a', 'a', 'b');
const asked = fc.tuple(process, weight, wait, key);
const ask = step('ask', asked, (scene, [who, much, long, of]) => scene.ask(who, much, long, of));
const release = step('release', at, (scene, value) => scene.release(value));
const withdraw = step('withdraw', at, (scene, value) => scene.withdraw(value));
const time = fc.constantFrom(1, 10, 40, 110, 250, 600, lease);
const advance = step('advance', time, (scene, value) => scene.advance(value));
const adjust = step('adjust', fc.tuple(at, weight), (scene, [of, to]) => scene.adjust(of, to));
const limit = fc.integer({ min: 1, max: 4 });
const setLimit = step('setLimit', fc.tuple(process, limit), (scene, [who, to]) =>
  scene.limiters[who]?.setLimit(to),
);
const operations = (
  ...names: readonly ('pause' | 'rejectAll' | 'resume' | 'shadow' | 'enforce')[]
) =>
  step('operate', fc.tuple(process, fc.constantFrom(...names)), (scene, [who, name]) => {
    const limiter = scene.limiters[who];
    if (limiter?.closed === false) limiter[name]();
  });
const pause = operations('pause', 'rejectAll', 'resume', 'resume');
const shadow = operations('shadow', 'enforce');
const close = step('close', process, (scene, who) => void scene.limiters[who]?.close());
const wipe = step('wipe', fc.constant(0), async (scene) => {
  await scene.advance(1);
  scene.memory.wipe();
});

/** Cycles through the faults of each list. */
function inTurns(
  calls: readonly (CallFault | undefined)[],
  messages: readonly (MessageFault | undefined)[],
): Faults {
  let [called, pushed] = [0, 0];
  return {
    call: () => calls[called++ % calls.length],
    message: () => messages[pushed++ % messages.length],
  };
}

const delays = (...list: number[]) => fc.constantFrom(...list.map((delay) => ({ delay })));
const callFault = fc.oneof(
  fc.constant(undefined),
  fc.constantFrom<CallFault>('fail', 'drop', 'lose', 'repeat'),
  delays(5, 60, 190, 350, 1500),
);
const messageFault = fc.oneof(
  fc.constantFrom<MessageFault | undefined>(undefined, 'drop', 'repeat'),
  delays(5, 300, 1500),
);
const patterns = fc.record({
  process,
  calls: fc.array(callFault, { maxLength: 3 }),
  messages: fc.array(messageFault, { maxLength: 3 }),
});
const fault = step('fault', patterns, (scene, { process: who, calls, messages }) =>
  scene.fault(who, inTurns(calls, messages)),
);
const heal = step('heal', process, (scene, who) => scene.fault(who, {}));
const say = step('say', fc.tuple(process, fc.boolean()), (scene, [who, up]) =>
  scene.stores[who]?.say(up),
);
const check = step('check', process, (scene, who) => scene.stores[who]?.check());

const calm: fc.WeightedArbitrary<Step>[] = [
  { weight: 8, arbitrary: ask },
  { weight: 6, arbitrary: release },
  { weight: 1, arbitrary: withdraw },
  { weight: 4, arbitrary: advance },
  { weight: 1, arbitrary: pause },
];
const troubled: fc.WeightedArbitrary<Step>[] = [
  ...calm,
  { weight: 2, arbitrary: fault },
  { weight: 2, arbitrary: heal },
  { weight: 1, arbitrary: say },
  { weight: 1, arbitrary: check },
];
const wild: fc.WeightedArbitrary<Step>[] = [
  ...troubled,
  { weight: 1, arbitrary: adjust },
  { weight: 1, arbitrary: setLimit },
  { weight: 1, arbitrary: shadow },
  { weight: 1, arbitrary: wipe },
];

const settings = {
  limit: fc.integer({ min: 1, max: 4 }),
  queueLimit: fc.constantFrom(0, 2, 20, 20),
  onStoreError: fc.constant('reject' as const),
  handoff: fc.constant(0),
  reserve: fc.constant(0),
  perKey: fc.boolean(),
};
const reserve = fc.constantFrom(0, 0, 2);
const handoff = fc.constantFrom(0, 3);

async function holds(
  options: fc.Arbitrary<SceneOptions>,
  steps: fc.WeightedArbitrary<Step>[],
  licence: Licence,
  runs: number,
) {
  let taken = 0;
  const all = fc.array(fc.oneof(...steps), { maxLength: 60, size: 'max' });
  const property = fc.asyncProperty(options, all, async (option, list) => {
    const scene = new DistributedScene(option, licence);
    for (const { act } of list) {
      taken++;
      await act(scene);
      await scene.settle();
    }
    await scene.end();
  });
  await fc.assert(property, { numRuns: runs });
  expect(taken).toBeGreaterThan(runs * 10);
}

const long = { timeout: 240_000 };

it(
  'a distributed limiter keeps the limit and the order over processes without faults',
  long,
  async () => {
    await holds(fc.record(settings), calm, { overLimit: false, outOfOrder: false }, 100);
  },
);

it('a distributed limiter keeps the limit with hand-off and reserves', long, async () => {
  const options = fc.record({ ...settings, handoff, reserve });
  await holds(options, calm, { overLimit: false, outOfOrder: true }, 100);
});

it(
  'a distributed limiter keeps the limit and answers every caller despite faults of the store',
  long,
  async () => {
    const options = fc.record({ ...settings, handoff, reserve });
    await holds(options, troubled, { overLimit: false, outOfOrder: true }, 150);
  },
);

it(
  'a distributed limiter answers every caller and leaks nothing, whatever happens',
  long,
  async () => {
    const onStoreError = fc.constantFrom('reject' as const, 'admit' as const, 'local' as const);
    const options = fc.record({ ...settings, handoff, reserve, onStoreError });
    const steps = [...wild, { weight: 0.2, arbitrary: close }].map(
      ({ weight: part, arbitrary }) => ({
        weight: 5 * part,
        arbitrary,
      }),
    );
    await holds(options, steps, { overLimit: true, outOfOrder: true }, 150);
  },
);
