import { assertFor, patience } from '@headgate/test-kit/property';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { LimiterOptions } from '../../src/index.ts';
import type { BasePermit } from '../../src/semaphore/permit.ts';
import { reactions, Scene, type Wishes } from './scene.ts';
import { pick, Step } from './step.ts';

const index = fc.nat(50);
const reacts = fc.array(fc.constantFrom<string[]>(...reactions), {
  maxLength: 2,
});
const queued = reacts.filter((list) => !list.includes('askAgain'));
const rarely = fc.oneof({ arbitrary: fc.constant<string[]>([]), weight: 7 }, reacts);

function wishes(perKey: boolean): fc.Arbitrary<Wishes> {
  const optional = { key: fc.constant('a'), limit: fc.integer({ min: 1, max: 4 }) };
  return fc
    .record({
      key: fc.constantFrom('a', 'b', 'c'),
      weight: fc.constantFrom(1, 1, 1, 2, 3),
      limit: fc.option(optional.limit, { nil: undefined, freq: 5 }),
      queueTimeout: fc.constantFrom(undefined, undefined, 0, 5, 12, Number.POSITIVE_INFINITY),
      mayJoin: fc.constantFrom(true, true, true, true, true, true, false),
      gone: fc.constantFrom(false, false, false, false, false, false, true),
      whenQueued: fc.oneof({ arbitrary: fc.constant<string[]>([]), weight: 10 }, queued),
      whenGranted: rarely,
      whenRejected: rarely,
    })
    .map(({ key, limit, queueTimeout, ...rest }) => ({
      ...rest,
      ...(perKey && { key }),
      ...(perKey && limit !== undefined && { limit }),
      ...(queueTimeout !== undefined && { queueTimeout }),
    }));
}

function commands(perKey: boolean) {
  const ask = wishes(perKey).map(
    (wish) => new Step<Scene>(`ask(${JSON.stringify(wish)})`, (scene) => scene.ask(wish)),
  );
  const step = (name: string, act: (scene: Scene, index: number) => void) =>
    index.map((at) => new Step<Scene>(`${name}(${at})`, (scene) => act(scene, at)));
  const tryAcquire = wishes(perKey).map(({ key, weight, limit }) => {
    const options = { key, weight: Math.min(weight, limit ?? 1), limit };
    return new Step<Scene>(`tryAcquire(${JSON.stringify(options)})`, (scene) => {
      if (options.weight <= scene.limiter.usage(key).limit) scene.tryAcquire(options);
    });
  });
  const release = step('release', ({ permits }, at) => {
    permits.splice(at % Math.max(1, permits.length), 1)[0]?.release();
  });
  const releaseTwice = step('releaseTwice', ({ permits }, at) => {
    pick(permits, at)?.release();
    pick(permits, at)?.release();
  });
  const adjust = step('adjust', ({ permits }, at) => pick(permits, at)?.adjust((at % 4) + 1));
  // A limit with keys never pauses: its key would be forgotten.
  const pausing = perKey ? [] : (['pauseCounting', 'countAgain'] as const);
  const counting = (['stopCounting', ...pausing] as const).map((name) =>
    step(name, ({ permits }, at) => (pick(permits, at) as BasePermit | undefined)?.[name]()),
  );
  const withdraw = step('withdraw', ({ actors, limiter }, at) => {
    const actor = pick(actors, at);
    if (actor !== undefined) limiter.withdraw(actor);
  });
  const askAgain = step('askAgain', (scene, at) => {
    const actor = pick(scene.actors, at);
    if (actor !== undefined) scene.request(actor);
  });
  const leaveFront = fc.constant(
    new Step<Scene>('withdrawOldest', (scene) => scene.withdrawOldest()),
  );
  const setLimit = fc
    .integer({ min: 1, max: 6 })
    .map(
      (limit) => new Step<Scene>(`setLimit(${limit})`, (scene) => scene.limiter.setLimit(limit)),
    );
  const milliseconds = fc.integer({ min: 0, max: 15 });
  const advance = milliseconds.map(
    (time) => new Step<Scene>(`advance(${time})`, ({ clock }) => clock.advance(time)),
  );
  const busy = milliseconds.map(
    (time) => new Step<Scene>(`busy(${time})`, ({ clock }) => clock.busy(time)),
  );
  const close = index.map(
    (at) => new Step<Scene>(`close(${at})`, ({ limiter }) => void (at === 0 && limiter.close())),
  );
  const operate = fc
    .constantFrom(
      'pause',
      'rejectAll',
      'resume',
      'resume',
      'resume',
      'shadow',
      'enforce',
      'enforce',
    )
    .map((name) => new Step<Scene>(name, (scene) => scene.operate(name as 'pause')));
  const pauseFor = step('pauseFor', ({ limiter }, at) => {
    if (!perKey) limiter.pauseFor(at % 20);
  });
  const weighted: [fc.Arbitrary<Step<Scene>>, number][] = [
    ...([
      [ask, 8],
      [release, 6],
      [advance, 2],
      [busy, 2],
    ] as const),
    ...([
      [tryAcquire, 1],
      [releaseTwice, 1],
      [adjust, 1],
      [withdraw, 2],
      [leaveFront, 1],
    ] as const),
    ...([
      [fc.oneof(...counting), 2],
      [askAgain, 1],
      [setLimit, 1],
      [operate, 2],
      [pauseFor, 1],
      [close, 1],
    ] as const),
  ].map(([arbitrary, weight]) => [arbitrary, weight]);
  const arbitrary = fc.oneof(...weighted.map(([arbitrary, weight]) => ({ arbitrary, weight })));
  return fc.commands([arbitrary], { maxCommands: 120, size: 'max' });
}

const settings: fc.Arbitrary<Omit<LimiterOptions, 'clock' | 'perKey'>> = fc.record({
  limit: fc.integer({ min: 1, max: 5 }),
  queueLimit: fc.constantFrom(0, 1, 3, 8, Number.POSITIVE_INFINITY),
  queueTimeout: fc.constantFrom(0, 10, 25, Number.POSITIVE_INFINITY),
  maxHold: fc.constantFrom(undefined, undefined, 30),
});

it.each([
  ['without keys', false],
  ['with keys', true],
])(
  'a limiter %s keeps all guarantees after every random step',
  async (_, perKey) => {
    Step.taken = 0;
    const property = fc.property(settings, commands(perKey), (options, steps) => {
      const scene = new Scene({ ...options, perKey });
      fc.modelRun(() => ({ model: {}, real: scene }), steps);
      scene.end();
    });
    const runs = await assertFor(property, 900, 0.5);
    expect(Step.taken).toBeGreaterThan(39 * runs);
  },
  patience,
);
