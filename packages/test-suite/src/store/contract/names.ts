import { expect, it } from 'vitest';
import { type LimitView, longWait } from '../lease-probe.ts';
import type { StoreWorld } from '../store-world.ts';

const MAX_NAME_LENGTH = 10_001;

/** All names are different, but careless concatenation or escaping may confuse them. */
const short = [
  ...['0', '1', 'a', 'a:b', 'b:c', 'a:', ':', '::', 'a.b', '.', ' ', 'a b', '\t', 'a\nb', '\0'],
  ...['{', '}', '{}', '}{', '{a}', '{a}b', 'a{b}', '%', '%7B', '%25', '%3A', '*', '?', '[ab]'],
  ...["'", '"', '\\', '`', '$1', 'a/b', '--', '__proto__', 'constructor', 'null', 'undefined'],
  ...['é', 'e\u0301', '日本', '🙂', 'A'],
];

export function names(world: StoreWorld): void {
  const long = 'l'.repeat(
    Math.min(MAX_NAME_LENGTH, world.driver.longestName ?? MAX_NAME_LENGTH) - 1,
  );
  const texts = [...short, `${long}1`, `${long}2`];

  async function areApart(one: readonly LimitView[], two: readonly LimitView[]) {
    for (const view of one) {
      const shown = JSON.stringify([view.name, view.key]).slice(0, 80);
      const { reply } = await view.acquire();
      expect([shown, reply]).toMatchObject([shown, { state: 'held', inflight: 1 }]);
    }
    for (const view of two) expect((await view.acquire()).state).toBe('full');
  }

  it('treats different names as different limits, whatever characters they contain', async () => {
    const [one, two] = await world.pair();
    const run = world.name();
    const of = (view: LimitView) => [
      ...texts.map((text) => world.beside(view, `${run}${text}`)),
      ...texts.map((text) => world.beside(view, `${text}${run}`)),
    ];
    await areApart(of(one), of(two));
  });

  it('accepts the name "0"', async () => {
    const [one, two] = await world.pair();
    const held = await world.beside(one, '0').acquire();
    const waiting = await world.beside(two, '0').acquire(longWait);
    expect([held.state, waiting.state]).toEqual(['held', 'queued']);
    await held.release();
    await waiting.granted();
    await waiting.release();
  });

  it('treats different keys as different limits, and never confuses them with names', async () => {
    const [one, two] = await world.pair();
    const run = world.name();
    const of = (view: LimitView) => [
      ...['', ...texts].map((key) => world.beside(view, run, { key })),
      world.beside(view, run),
      world.beside(view, `${run}:a`),
      world.beside(view, `${run}:a`, { key: 'b:c' }),
      world.beside(view, `${run}:a:b`, { key: 'c' }),
      world.beside(view, `${run}}`, { key: 'a' }),
      world.beside(view, `{${run}}`, { key: 'a' }),
      world.beside(view, run, { key: `${run}:a` }),
    ];
    await areApart(of(one), of(two));
  });

  it('has a separate count and queue for each key', async () => {
    const one = await world.view({ key: 'a' });
    const b = world.beside(one, one.name, { key: 'b' });
    const held = await one.acquire();
    const waiting = await one.acquire(longWait);
    expect((await b.acquire()).reply).toMatchObject({ state: 'held', inflight: 1, queued: 0 });
    expect(await b.stats()).toMatchObject({ inflight: 1, queued: 0 });
    await held.release();
    await waiting.granted();
  });
}
