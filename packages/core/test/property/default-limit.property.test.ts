import { Caller } from '@headgate/test-kit/caller';
import { assertFor } from '@headgate/test-kit/property';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { byPriority, createLimiter, defaultLimit, fifo, type Priority } from '../../src/index.ts';
import { priorities } from '../../src/semaphore/priority.ts';
import { FakeLoop } from '../pacing/fake-loop.ts';

// Whatever the loop does, each request is answered exactly once, in order, and nothing is left in the end.

const events = fc.array(
  fc.record({
    act: fc.constantFrom(
      'ask',
      'ask',
      'ask',
      'release',
      'withdraw',
      'rest',
      'busy',
      'poll',
      'accept',
    ),
    at: fc.nat(20),
    milliseconds: fc.constantFrom(0, 1, 1, 5, 20, 300),
    priority: fc.constantFrom<Priority>(...priorities),
    reaction: fc.constantFrom('none', 'none', 'release', 'ask', 'busy'),
  }),
  { maxLength: 120, size: 'max' },
);

const settings = fc.record({
  order: fc.constantFrom(fifo(), byPriority()),
  bounds: fc.constantFrom(
    { min: 1, max: 1 },
    { min: 3, max: 3 },
    { min: 1000 },
    { min: 2, initial: 2, maxWait: 20 },
  ),
  queueLimit: fc.constantFrom(2, Number.POSITIVE_INFINITY),
});

type Settings = typeof settings extends fc.Arbitrary<infer T> ? T : never;
type Event = typeof events extends fc.Arbitrary<(infer T)[]> ? T : never;

class Story {
  readonly loop = new FakeLoop();
  readonly callers: Caller[] = [];
  /** Callers in the order of their grants. */
  readonly granted: Caller[] = [];
  readonly limiter;

  constructor({ order, bounds, queueLimit }: Settings) {
    const { loop } = this;
    const limit = defaultLimit(bounds, loop);
    this.limiter = createLimiter({ limit, queueLimit, order, clock: loop });
  }

  perform({ act, at, milliseconds, priority, reaction }: Event): void {
    const { loop, limiter } = this;
    if (act === 'ask') this.#ask(priority, reaction, milliseconds);
    else if (act === 'release') this.granted[at % (this.granted.length || 1)]?.permit?.release();
    else if (act === 'withdraw') this.#withdraw(at);
    else if (act === 'rest') loop.rest(milliseconds);
    else if (act === 'busy') loop.busy(milliseconds);
    else if (act === 'accept') loop.accept();
    else loop.poll();
    expect(limiter.inflight).toBeLessThanOrEqual(Math.max(limiter.limit, limiter.holders));
  }

  #ask(priority: Priority, reaction: string, milliseconds: number): void {
    const caller: Caller = new Caller({
      priority,
      onGranted: (permit) => {
        this.granted.push(caller);
        if (reaction === 'busy') this.loop.busy(milliseconds);
        if (reaction === 'ask') this.#ask('normal', 'none', 0);
        if (reaction === 'release') permit.release();
      },
    });
    this.callers.push(caller);
    this.limiter.request(caller);
  }

  #withdraw(at: number): void {
    const waiting = this.callers.filter(({ answers }) => answers === 0);
    const caller = waiting[at % (waiting.length || 1)];
    if (caller === undefined) return;
    this.limiter.withdraw(caller);
    caller.answers++;
  }

  /** Ends all requests. */
  finish(): void {
    for (let index = 0; index < 2000 && this.limiter.queued + this.limiter.inflight > 0; index++) {
      for (const { permit } of this.granted) permit?.release();
      this.loop.rest(5);
      this.loop.poll();
    }
    this.loop.poll();
    this.loop.poll();
  }
}

it('the default limit answers each request exactly once, and leaves nothing in memory', async () => {
  await assertFor(
    fc.property(settings, events, (given, acts) => {
      const story = new Story(given);
      for (const act of acts) story.perform(act);
      story.finish();
      const { limiter, loop, callers } = story;
      expect(callers.map(({ answers }) => answers)).toEqual(callers.map(() => 1));
      expect([limiter.queued, limiter.inflight, loop.armed, loop.isAwaited]).toEqual([
        0,
        0,
        0,
        false,
      ]);
    }),
    300,
    0.5,
  );
});

it('the default limit grants in the order of arrival', async () => {
  await assertFor(
    fc.property(settings, events, (given, acts) => {
      const story = new Story({ ...given, order: fifo() });
      for (const act of acts) story.perform(act);
      story.finish();
      const places = story.granted.map((caller) => story.callers.indexOf(caller));
      expect(places).toEqual([...places].sort((one, other) => one - other));
    }),
    300,
    0.5,
  );
});
