import { assertFor, patience } from '@headgate/test-kit/property';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { GateScene, type GateSettings } from './gate-scene.ts';
import { pick, Step } from './step.ts';
import type { Visit } from './visitor.ts';

const reactions = [
  ...['release', 'releaseOldest', 'withdrawOldest', 'ask', 'raise', 'lower', 'dawdle', 'close'],
  ...['throw'],
];
const reacts = fc.array(fc.constantFrom<string[]>(...reactions), { maxLength: 2 });
const rarely = fc.oneof({ arbitrary: fc.constant<string[]>([]), weight: 7 }, reacts);

const settings: fc.Arbitrary<GateSettings> = fc.record({
  user: fc.integer({ min: 1, max: 3 }),
  own: fc.integer({ min: 1, max: 3 }),
  app: fc.integer({ min: 1, max: 5 }),
  queueLimit: fc.constantFrom(0, 1, 4, 20, Number.POSITIVE_INFINITY),
  appQueueLimit: fc.constantFrom(0, 1, 3, Number.POSITIVE_INFINITY),
  queueTimeout: fc.constantFrom(10, 25, Number.POSITIVE_INFINITY),
});

const gated: fc.Arbitrary<Visit> = fc.record({
  gate: fc.constantFrom(0, 0, 1),
  user: fc.constantFrom(undefined, 'a', 'a', 'b', 'c'),
  own: fc.constantFrom(0, 0, 1),
  app: fc.constantFrom(1, 1, 1, 2, 4),
  queueTimeout: fc.constantFrom(undefined, undefined, 5, 12, Number.POSITIVE_INFINITY),
  gone: fc.constantFrom(...Array<boolean>(8).fill(false), true),
  whenGranted: rarely,
  whenRejected: rarely,
});

const index = fc.nat(50);
const milliseconds = fc.integer({ min: 0, max: 15 });

function step(name: string, act: (scene: GateScene, at: number) => void, from = index) {
  return from.map((at) => new Step<GateScene>(`${name}(${at})`, (scene) => act(scene, at)));
}

const weighted: [number, fc.Arbitrary<Step<GateScene>>][] = [
  [9, gated.map((one) => new Step(`visit(${JSON.stringify(one)})`, (scene) => scene.visit(one)))],
  [
    7,
    step('release', (scene, at) =>
      scene.release(
        pick(
          scene.visitors.filter((one) => one.permit),
          at,
        ),
      ),
    ),
  ],
  [2, step('withdraw', (scene, at) => scene.withdraw(pick(scene.visitors, at)))],
  [1, step('tryAcquire', ({ app, permits }) => permits.push(...[app.tryAcquire() ?? []].flat()))],
  [
    1,
    step('release directly', ({ permits }, at) => permits.splice(at, 1)[0]?.release(), fc.nat(3)),
  ],
  [1, step('setLimit', ({ app }, at) => app.setLimit(at), fc.integer({ min: 1, max: 6 }))],
  [
    1,
    step(
      'setLimit of users',
      ({ judges }, at) => judges[0]?.limiter.setLimit(at),
      fc.integer({ min: 1, max: 3 }),
    ),
  ],
  [2, step('advance', ({ clock }, at) => clock.advance(at), milliseconds)],
  [2, step('busy', ({ clock }, at) => clock.busy(at), milliseconds)],
  [1, step('close', (scene, at) => at < 2 && scene.close(scene.gates[at] as never))],
];

const commands = fc.commands(
  [fc.oneof(...weighted.map(([weight, arbitrary]) => ({ arbitrary, weight })))],
  { maxCommands: 100, size: 'max' },
);

it(
  'two gates that reuse limiters keep their guarantees at every step',
  async () => {
    Step.taken = 0;
    const property = fc.property(settings, commands, (options, steps) => {
      const scene = new GateScene(options);
      fc.modelRun(() => ({ model: {}, real: scene }), steps);
      scene.end();
    });
    const runs = await assertFor(property, 900);
    expect(Step.taken).toBeGreaterThan(39 * runs);
  },
  patience,
);
