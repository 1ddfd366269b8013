import { describe, expect, it } from 'vitest';
import { byShare, createGate } from '../src/index.ts';
import { http, keyed, limit, limiter, messageOf, work } from './message-of.ts';

const listed = (...limits: object[]) => ({ limits });

describe('an error inside limits names the entry', () => {
  it.each([
    [{ name: 'b', limit: 0 }, 'limits[1].limit must be a whole number'],
    [{ limit: 1 }, 'limits[1].name must be a string'],
    [{ name: 'b', limit: 1, queueWeight: -1 }, 'limits[1].queueWeight must be'],
    [{ name: 'b', limit: 1, kee: 1 }, 'limits[1] has no option "kee"'],
    [{ name: 'b', limit: null }, 'limits[1].limit must be set or omitted, got null'],
    [5, 'the options of limits[1] must be an object, got 5'],
    [null, 'the options of limits[1] must be an object, got null'],
  ])('%j', async (entry, message) => {
    const options = listed(limit, entry as object);
    expect(await messageOf(() => createGate(options as never))).toContain(message);
    expect(await messageOf(() => http(options))).toContain(message);
  });

  it.each([
    [{ name: 'b', limit: 1, statusCode: 50 }, 'limits[1].statusCode must be'],
    [
      { name: 'b', limit: 1, shares: { parts: { a: 2 }, by: work } },
      'limits[1].shares.parts.a must',
    ],
    [{ name: 'b', limit: 1, shares: { parts: { a: 1 } } }, 'limits[1].shares.by must'],
    [{ name: 'b', limit: 1, route: 'x' }, 'limits[1].route "x" cannot be parsed'],
    [{ limiter: limiter(), limit: 5 }, 'limits[1].limit is an option of the limiter itself'],
    [{ limiter: limiter(), key: work }, 'limits[1]: limiter "one" is not keyed'],
    [{ limiter: keyed() }, 'limits[1]: limiter "unnamed" is keyed: set key'],
  ])('over HTTP: %j', async (entry, message) => {
    expect(await messageOf(() => http(listed(limit, entry)))).toContain(message);
  });

  it('the error for a limiter instead of options says that it is a limiter', async () => {
    expect(await messageOf(() => http(limiter()))).toBe(
      'concurrencyLimit takes a limiter as { limiter }',
    );
    const options = listed(limit, limiter());
    const message = 'limits[1] takes a limiter as { limiter }';
    expect(await messageOf(() => http(options))).toBe(message);
    expect(await messageOf(() => createGate(options as never))).toBe(message);
  });

  it('an error of the app in an option of an entry is thrown as it is', () => {
    const error = Object.assign(new Error('LIMIT is not set'), { option: 'limit' });
    const entry = {
      name: 'b',
      get limit(): number {
        throw error;
      },
    };
    expect(() => createGate({ limits: [limit, entry] })).toThrow(error);
    expect(() => http(listed(limit, entry))).toThrow(error);
    expect(error.message).toBe('LIMIT is not set');
  });

  it('the error of an option outside limits names no entry', async () => {
    const bad = { clock: 5, maxHold: 1 };
    expect(await messageOf(() => createGate({ limits: [limit], ...bad } as never))).toMatch(
      /^clock must/,
    );
    expect(await messageOf(() => http({ limit: 0 }))).toMatch(/^limit must/);
    expect(await messageOf(() => http({ limit: 1, weight: 0 }))).toMatch(/^weight must/);
    const excess = { parts: { a: 2 }, by: work };
    expect(await messageOf(() => http({ limit: 1, shares: excess }))).toMatch(/^shares.parts.a/);
    // The order of the middleware, which cannot be inside the entry's shares.
    const shares = { name: 'b', limit: 1, shares: { parts: { a: 1 }, by: work } };
    const order = byShare({ a: 1 });
    expect(await messageOf(() => http({ ...listed(limit, shares), order }))).toMatch(/^order must/);
  });
});
