import { deepStrictEqual, ok } from 'node:assert/strict';
import { assertFor, patience } from '@headgate/test-kit/property';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Refusal, type RefusalKind } from '../../src/state/refusal.ts';
import { Model, type ModelSemaphore } from './model.ts';
import { World } from './world.ts';

const names = ['A', 'B', 'C'];
const unknown = 'Z';
/** Usually more than there are, so that some calls name unknown peers. */
const peers = fc.integer({ min: 0, max: 6 });
const semaphore = fc.constantFrom(...names, ...names, ...names, unknown);
const count = fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 1, max: 4 }) }, fc.constant(0));
const span = fc.constantFrom(0, 5, 20, 100, 100, 1_000, 1_000);
const semaphores: fc.Arbitrary<Record<string, ModelSemaphore>> = fc
  .array(
    fc.record({ max: fc.integer({ min: 0, max: 5 }), level: fc.integer({ min: -1, max: 1 }) }),
    {
      minLength: names.length,
      maxLength: names.length,
    },
  )
  .map((all) => Object.fromEntries(all.map((each, i) => [names[i] as string, each])));

type Step =
  | { do: 'newPeer'; span: number }
  | { do: 'deletePeer' | 'isAcquired'; peer: number }
  | { do: 'heartbeat'; peer: number; span: number }
  | { do: 'acquire'; peer: number; semaphore: string; count: number; span?: number; block: number }
  | { do: 'release'; peer: number; semaphore: string }
  | { do: 'restore'; peer: number; locks: Record<string, number>; span: number }
  | { do: 'configure'; semaphores: Record<string, ModelSemaphore> }
  | { do: 'pass'; span: number };

const op = <T extends Step['do']>(name: T) => fc.constant(name);
const acquire = fc.record(
  { do: op('acquire'), peer: peers, semaphore, count, span, block: span },
  { requiredKeys: ['do', 'peer', 'semaphore', 'count', 'block'] },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: op('newPeer'), span: fc.constantFrom(20, 1_000, 1_000) }),
  },
  { weight: 12, arbitrary: acquire },
  { weight: 4, arbitrary: fc.record({ do: op('release'), peer: peers, semaphore }) },
  { weight: 2, arbitrary: fc.record({ do: op('deletePeer'), peer: peers }) },
  { weight: 1, arbitrary: fc.record({ do: op('isAcquired'), peer: peers }) },
  { weight: 1, arbitrary: fc.record({ do: op('heartbeat'), peer: peers, span }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: op('restore'),
      peer: peers,
      locks: fc.dictionary(semaphore, count, { maxKeys: 2 }),
      span,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: op('configure'), semaphores }) },
  { weight: 4, arbitrary: fc.record({ do: op('pass'), span: fc.integer({ min: 0, max: 15 }) }) },
);

/** Long sequences, because a queue must build up before its order can be wrong. */
const steps = fc.array(step, { minLength: 30, maxLength: 120, size: 'max' });

/** Applies the same calls to the state and to the model. */
class Pair {
  readonly world: World;
  readonly model: Model;
  readonly #ids: bigint[] = [];
  readonly #answers: (boolean | string)[][] = [];

  constructor(first: Record<string, ModelSemaphore>) {
    this.world = new World({});
    this.model = new Model(first);
    this.#configure(first);
  }

  do(step: Step): void {
    // Both apply what is due before the call.
    this.model.pass(0);
    this.#do(step);
    this.#check();
  }

  #do(step: Step): void {
    const { world, model } = this;
    switch (step.do) {
      case 'newPeer': {
        const id = world.peer(step.span);
        model.add(id, step.span);
        this.#ids.push(id);
        return;
      }
      case 'deletePeer': {
        const id = this.#id(step.peer);
        expect(world.state.deletePeer(id)).toBe(model.remove(id));
        return;
      }
      case 'isAcquired': {
        const pending = model.peers.get(this.#id(step.peer));
        const expected = pending === undefined ? 'unknown-peer' : pending.pending === undefined;
        expect(kind(world.state.isAcquired(this.#id(step.peer)))).toBe(expected);
        return;
      }
      case 'heartbeat': {
        const id = this.#id(step.peer);
        const expected = kinds(model.heartbeat(id, step.span));
        expect(kind(world.state.heartbeat(id, step.span))).toBe(expected);
        return;
      }
      case 'acquire':
        this.#acquire(step);
        return;
      case 'release': {
        const id = this.#id(step.peer);
        const expected = kinds(model.release(id, step.semaphore));
        expect(kind(world.state.releaseLock(id, step.semaphore))).toBe(expected);
        return;
      }
      case 'restore': {
        const id = this.#id(step.peer);
        const locks = Object.entries(step.locks);
        const counts = new Map(locks.map(([name, each]) => [name, BigInt(each)]));
        const expected = kinds(model.restore(id, locks, step.span));
        expect(kind(world.state.restore(id, counts, step.span))).toBe(expected);
        return;
      }
      case 'configure':
        this.#configure(step.semaphores);
        return;
      case 'pass':
        world.pass(step.span);
        model.pass(step.span);
    }
  }

  #acquire({ peer, semaphore: name, count: each, span, block }: Step & { do: 'acquire' }): void {
    const id = this.#id(peer);
    const request = { peer: id, semaphore: name, count: BigInt(each), expiresIn: span };
    const answer = this.world.state.acquire(request);
    expect(kind(answer)).toBe(kinds(this.model.acquire(id, name, each, span)));
    if (answer !== false || block === 0) return;
    this.#answers.push(this.world.block(id, name, block));
    this.model.wait(id, name, block);
  }

  #configure(semaphores: Record<string, ModelSemaphore>): void {
    const all = Object.entries(semaphores).map(([name, { max, level }]) => {
      return [name, { max: BigInt(max), level }] as const;
    });
    this.world.state.configure(new Map(all));
    this.model.configure(semaphores);
  }

  /** Unknown peers get ids that were never assigned or are no longer valid. */
  #id(index: number): bigint {
    return this.#ids.at(-1 - index) ?? BigInt(1_000 + index);
  }

  /** Compares everything that is visible from outside. */
  #check(): void {
    const { world, model } = this;
    model.pass(0);
    world.pass(0);
    const { waits, ...size } = { ...world.state.size, semaphores: names.length };
    const peers = Array.from(world.state.peers(), (id) => [id, world.state.isAcquired(id)]);
    const semaphores = Array.from(world.state.semaphores(), (each) => {
      const { name, acquired, pending, pendingSince } = each;
      return [name, Number(acquired), Number(pending), pendingSince];
    });
    const answers = this.#answers.map(String);
    deepStrictEqual(
      { peers, semaphores, size, answers: answers.filter(Boolean).sort(), waits },
      {
        peers: Array.from(model.peers, ([id, { pending }]) => [id, pending === undefined]),
        semaphores: names.map((name) => {
          const [first] = model.queue(name);
          return [name, model.sum(name, 'acquired'), model.sum(name, 'pending'), first?.since];
        }),
        size: { peers: model.peers.size, expiries: model.peers.size, semaphores: names.length },
        answers: model.settled.map(({ answers }) => String(answers)).sort(),
        waits: model.waits.length,
      },
    );
    for (const [name, acquired] of semaphores as [string, number][]) {
      const isOver = acquired > (model.semaphores[name] as ModelSemaphore).max;
      ok(!isOver || model.overcommitted.has(name), `${name} exceeds its full count`);
    }
  }
}

function kind(answer: unknown): unknown {
  return answer instanceof Refusal ? answer.kind : answer;
}

function kinds(answer: boolean | string | undefined): unknown {
  if (answer === 'Unknown peer') return 'unknown-peer' satisfies RefusalKind;
  if (answer === 'Unknown semaphore') return 'unknown-semaphore' satisfies RefusalKind;
  return answer;
}

it(
  'the state behaves like the model for any sequence of calls',
  () => {
    const property = fc.property(semaphores, steps, (first, all) => {
      const pair = new Pair(first);
      for (const each of all) pair.do(each);
    });
    return assertFor(property, 300, 1 / 2);
  },
  patience,
);

it(
  'a repeated call changes nothing',
  () => {
    const property = fc.property(semaphores, steps, (first, all) => {
      const pair = new Pair(first);
      for (const each of all) {
        pair.do(each);
        // Creating a peer and advancing the time are not idempotent.
        if (each.do === 'newPeer' || each.do === 'pass') continue;
        const before = seen(pair.world);
        pair.do(each.do === 'acquire' ? { ...each, block: 0 } : each);
        expect(seen(pair.world)).toEqual(before);
      }
    });
    return assertFor(property, 300, 1 / 2);
  },
  patience,
);

function seen({ state }: World): unknown {
  const peers = [...state.peers()];
  return {
    peers: peers.map((id) => [id, kind(state.isAcquired(id))]),
    semaphores: Array.from(state.semaphores(), ({ name, acquired, pending, pendingSince }) => {
      return [name, acquired, pending, pendingSince];
    }),
    size: state.size,
  };
}
