import { describe, test } from 'vitest';
import { noStaleWrite, risingTokens } from '../../src/invariants/tokens.ts';
import { breaks, emptyLog, holds } from '../log-builder.ts';

describe('tokens increase', () => {
  test('a token below an earlier one is a violation', () => {
    holds(risingTokens, emptyLog().works('a', 0, 10).works('b', 10, 20));
    breaks(
      risingTokens,
      emptyLog().works('a', 0, 10, { token: 9 }).works('b', 10, 20, { token: 8 }),
      /below 9/,
    );
  });

  test('after a loss of state, and at limits above 1, lower tokens are no violation', () => {
    const works = (limit: number) =>
      emptyLog(limit).works('a', 0, 10, { token: 9 }).works('b', 10, 20, { token: 8 });
    holds(risingTokens, works(1).lost(5));
    holds(risingTokens, works(3));
  });

  test('a duplicate token is a violation at any limit', () => {
    const twice = emptyLog(3).works('a', 0, 10, { token: 9 }).works('b', 10, 20, { token: 9 });
    breaks(risingTokens, twice, /b\/2 has the token of a\/1/);
  });

  test('a permit without a token is a violation', () => {
    breaks(risingTokens, emptyLog().works('a', 0, 10, { token: 'none' }), /no token/);
  });
});

describe('no stale token is accepted', () => {
  const at = (...accepted: [number, boolean][]) => ({
    writes: accepted.map(([time, is]) => ({ at: time, accepted: is })),
  });

  test('a token below an accepted one must not be accepted', () => {
    const stale = emptyLog()
      .works('a', 0, 40, at([30, true]))
      .works('b', 10, 20, at([15, true]));
    breaks(noStaleWrite, stale, /a\/1 with 0 was accepted after 10/);
  });

  test('a rejection needs a cause', () => {
    const refused = (options: object = {}) =>
      emptyLog()
        .works('a', 0, 40, { ...at([30, false]), ...options })
        .works('b', 10, 20, at([15, true]));
    breaks(noStaleWrite, refused(), /was rejected, after 10, with no cause/);
    holds(noStaleWrite, refused().paused('a', 1, 29));
    holds(noStaleWrite, refused().lost(5));
    breaks(noStaleWrite, refused().lost(16), /no cause/);
    breaks(noStaleWrite, refused().paused('b', 1, 29), /no cause/);
    breaks(noStaleWrite, refused({ aborted: true }), /no cause/);
  });

  test('a holder whose permit was granted again after a loss of state is rejected until its work ends', () => {
    const long = (lost: number) =>
      emptyLog()
        .works('a', 0, 5_000, at([4_000, false]))
        .works('b', 1_000, 1_020, at([1_015, true]))
        .lost(lost);
    holds(noStaleWrite, long(900));
    breaks(noStaleWrite, long(3_900), /no cause/);
  });

  test('a write that was in progress when the signal aborted may be rejected', () => {
    const under = emptyLog()
      .works('a', 0, 12, { ...at([30, false]), aborted: true })
      .works('b', 13, 20, at([15, true]));
    holds(noStaleWrite, under);
  });
});
