import { Caller } from '@headgate/test-kit/caller';
import { assertFor, patience } from '@headgate/test-kit/property';
import { VirtualClock } from '@headgate/test-suite';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createGate, type Gate, type Observer, type Priority } from '../../src/index.ts';
import { askGate } from '../ask-gate.ts';
import { pick } from './step.ts';

const kinds = ['queued', 'admitted', 'rejected', 'withdrawn', 'released'] as const;

interface Recorded {
  readonly kind: (typeof kinds)[number];
  readonly event: { readonly request: object };
}

function recordTo(events: Recorded[]): Observer {
  const record = (kind: Recorded['kind']) => (event: Recorded['event']) =>
    void events.push({ kind, event });
  return Object.fromEntries(kinds.map((kind) => [kind, record(kind)]));
}

interface Settings {
  readonly keyed: boolean;
  readonly guarded: boolean;
  readonly queueLimit: number;
  readonly limit: number;
}

/** A gate, its requests, one observer from the start, and others that come and go. */
class Scene {
  readonly clock = new VirtualClock();
  readonly gate: Gate;
  readonly callers: Caller[] = [];
  readonly all: Recorded[] = [];
  readonly others: { from: number; events: Recorded[]; remove: () => void }[] = [];

  constructor(private readonly settings: Settings) {
    const { keyed, guarded, queueLimit, limit } = settings;
    const user = { name: 'user', limit: 1, perKey: true };
    const limits = [...(keyed ? [user] : []), { name: 'app', limit }];
    const guard = { name: 'guard', admits: (priority: Priority) => priority !== 'low' };
    const options = { limits, queueLimit, queueTimeout: 20, maxHold: 80, clock: this.clock };
    const observer = { ...recordTo(this.all), leaked: () => {} };
    this.gate = createGate({ ...options, ...(guarded && { guard }) });
    this.gate.observe(observer);
  }

  ask(at: number): void {
    const priority = at % 7 === 0 ? 'low' : 'normal';
    const caller = new Caller({ priority, gone: () => at % 11 === 0 });
    this.callers.push(caller);
    const key = `${at % 3}`;
    askGate(this.gate, caller, [
      ...(this.settings.keyed ? [{ key, weight: 1 }] : []),
      { weight: 1 },
    ]);
  }

  add(): void {
    const events: Recorded[] = [];
    const remove = this.gate.observe(recordTo(events));
    this.others.push({ from: this.all.length, events, remove });
  }

  /** Removes an observer, which must have received what the first one did meanwhile. */
  remove(at: number): void {
    const other = this.others.splice(at % Math.max(1, this.others.length), 1)[0];
    if (other === undefined) return;
    other.remove();
    expect(other.events).toEqual(this.all.slice(other.from));
    expect(other.events.every(({ event }, i) => event === this.all[other.from + i]?.event)).toBe(
      true,
    );
  }

  end(): void {
    for (const { permit } of this.callers) permit?.release();
    this.clock.advance(100);
    for (const { permit } of this.callers) permit?.release();
    while (this.others.length > 0) this.remove(0);
  }
}

const steps: Readonly<Record<string, (scene: Scene, at: number) => void>> = {
  ask: (scene, at) => scene.ask(at),
  askMore: (scene, at) => scene.ask(at),
  release: ({ callers }, at) => pick(callers, at)?.permit?.release(),
  withdraw: ({ gate, callers }, at) => {
    const caller = pick(callers, at);
    if (caller !== undefined) gate.withdraw(caller);
  },
  advance: ({ clock }, at) => clock.advance(at % 16),
  resize: ({ gate }, at) =>
    Object.values(gate.limiters)
      .at(-1)
      ?.setLimit(1 + (at % 4)),
  add: (scene) => scene.add(),
  remove: (scene, at) => scene.remove(at),
  close: ({ gate }, at) => void (at === 0 && gate.close()),
};

const complete = [
  ...['admitted released', 'queued admitted released'],
  ...['rejected', 'queued rejected', 'queued withdrawn'],
];

it(
  'each request has complete events even if other observers come and go',
  async () => {
    let requests = 0;
    const settings: fc.Arbitrary<Settings> = fc.record({
      keyed: fc.boolean(),
      guarded: fc.boolean(),
      queueLimit: fc.constantFrom(0, 2, 6),
      limit: fc.integer({ min: 1, max: 3 }),
    });
    const step = fc.tuple(fc.constantFrom(...Object.keys(steps)), fc.nat(50));
    const property = fc.property(
      settings,
      fc.array(step, { maxLength: 100, size: 'max' }),
      (options, taken) => {
        const scene = new Scene(options);
        for (const [name, at] of taken) steps[name]?.(scene, at);
        scene.end();
        const byRequest = new Map<object, string[]>();
        for (const { kind, event } of scene.all) {
          byRequest.set(event.request, [...(byRequest.get(event.request) ?? []), kind]);
        }
        const seen = [...byRequest.values()].map((events) => events.join(' '));
        expect(seen.filter((events) => !complete.includes(events))).toEqual([]);
        expect(seen).toHaveLength(scene.callers.length);
        requests += seen.length;
      },
    );
    const runs = await assertFor(property, 300);
    expect(requests).toBeGreaterThan(3 * runs);
  },
  patience,
);
