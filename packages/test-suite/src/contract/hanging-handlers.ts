import { expect, it } from 'vitest';
import type { SuiteContext } from '../framework.ts';
import { Latch } from '../kit/latch.ts';
import { aRound, counts, until } from '../kit/until.ts';
import { VirtualClock } from '../kit/virtual-clock.ts';
import type { World } from '../kit/world.ts';

const LIMIT = 4;
/** Milliseconds between two clients, on the virtual clock. */
const INTERVAL_MS = 500;

/** What a handler does once the dependency for which it waits has answered. */
const kinds: Readonly<Record<string, (context: SuiteContext) => void>> = {
  'respond in any case': (context) => context.send(200),
  'respond unless their clients have left': (context) => {
    if (context.outgoing?.destroyed !== true) context.send(200);
  },
  'do nothing more': () => {},
};

export function hangingHandlers(world: World): void {
  const { tracksHandlers } = world.framework.can;

  /** An app whose requests to `/hangs` wait until the hang ends. Counts the running handlers. */
  async function hanging(conclude: (context: SuiteContext) => void) {
    const clock = new VirtualClock();
    const limit = world.limit({ limit: LIMIT, queueLimit: 0, clock });
    const hang = new Latch();
    const handlers = { running: 0, most: 0 };
    const app = await world.serve(
      { use: limit },
      {
        path: '/hangs',
        async handle(context) {
          handlers.most = Math.max(handlers.most, ++handlers.running);
          await hang.opened;
          conclude(context);
          handlers.running--;
        },
      },
      { path: '/fast', handle: (context) => context.send(200) },
    );
    app.ignoreErrors();
    const arrived = () => limit.stats().admitted + limit.stats().rejected.full;
    /** A client that leaves as soon as the server has its request. */
    const leave = async () => {
      const before = arrived();
      const raw = app.raw();
      raw.request('GET /hangs');
      await until(() => arrived() > before);
      await raw.destroy();
      await aRound();
    };
    return { app, clock, limit, hang, handlers, leave };
  }

  it.each([
    ['respond in any case', 3000, false],
    ['respond in any case', 8000, true],
    ['respond unless their clients have left', 3000, true],
    ['respond unless their clients have left', 30_000, false],
    ['do nothing more', 8000, true],
    ['do nothing more', 30_000, false],
  ] as const)(
    'at most twice the limit of handlers that %s run while a dependency hangs for %i ms, amid fast requests: %s',
    async (kind, duration, isMixed) => {
      const { app, clock, limit, hang, handlers, leave } = await hanging(
        kinds[kind] as (context: SuiteContext) => void,
      );
      for (let time = 0; time < duration; time += INTERVAL_MS) {
        await leave();
        if (isMixed && limit.holders < LIMIT) await app.call('/fast').answer();
        clock.advance(INTERVAL_MS);
      }
      expect(handlers.most).toBeLessThanOrEqual(tracksHandlers ? LIMIT : 2 * LIMIT);
      expect(handlers.running).toBeGreaterThanOrEqual(LIMIT);
      hang.open();
      await until(() => handlers.running === 0);
      await aRound();
      if (kind === 'do nothing more' && !tracksHandlers) clock.advance(30_000);
      await counts(limit, 0, 0);
    },
  );
}
