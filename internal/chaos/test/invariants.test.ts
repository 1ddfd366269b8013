// Tests of the checker: invented logs contain violations, which the invariants must find.
import { describe, expect, test } from 'vitest';
import { calmIsQuiet } from '../src/invariants/calm.ts';
import type { Invariant } from '../src/invariants/finding.ts';
import { theDeadAreInherited } from '../src/invariants/inheritance.ts';
import { noLossWithoutFault } from '../src/invariants/loss.ts';
import { inOrder } from '../src/invariants/order.ts';
import { noOverlap } from '../src/invariants/overlap.ts';
import { noneWaitsTooLong } from '../src/invariants/patience.ts';
import { allComeBack } from '../src/invariants/return.ts';
import { allLive } from '../src/invariants/survival.ts';
import { noStaleWrite, risingTokens } from '../src/invariants/tokens.ts';
import { verifier } from '../src/log/watch-loop.ts';
import { Tale } from './tale.ts';

const tale = (limit = 1) => new Tale(limit);

function holds(invariant: Invariant, of: Tale): void {
  const { broken, checked } = invariant(of.log);
  expect(broken).toEqual([]);
  expect(checked).toBeGreaterThan(0);
}

function breaks(invariant: Invariant, of: Tale, what: string | RegExp): void {
  expect(invariant(of.log).broken).toEqual([expect.stringMatching(what)]);
}

describe('no second grant while the first holder is alive', () => {
  test('sequential grants are no violation', () => {
    holds(noOverlap, tale().works('a', 0, 10).works('b', 10, 20));
  });

  test('two grants at once at limit 1 are a violation', () => {
    breaks(noOverlap, tale().works('a', 0, 10).works('b', 9, 20), /2 at work of 1: a\/1×1, b\/2×1/);
  });

  test('weights are added up', () => {
    holds(noOverlap, tale(3).works('a', 0, 10, { weight: 2 }).works('b', 1, 20));
    breaks(
      noOverlap,
      tale(3).works('a', 0, 10, { weight: 2 }).works('b', 1, 20, { weight: 2 }),
      /4 at work of 3/,
    );
  });

  test('work ends when its process is killed', () => {
    holds(noOverlap, tale().works('a', 0).killed('a', 5).works('b', 6, 20));
    breaks(noOverlap, tale().works('a', 0).works('b', 6, 20), /2 at work/);
  });

  test('a permit that was lost before its work began does not count as work', () => {
    holds(noOverlap, tale().works('a', 0, 20).works('b', 5, 5, { aborted: true }));
  });

  test('the work of a stopped process does not count towards the limit', () => {
    const stopped = () => tale().works('a', 0, 2_010).paused('a', 5, 2_000);
    holds(noOverlap, stopped().works('b', 1_000, 1_900));
    holds(noOverlap, stopped().works('b', 2_005, 2_300));
  });

  test('work that a stopped process began after the stop counts, as does the work of other processes', () => {
    const stopped = () => tale().paused('a', 5, 2_000).works('b', 1_000, 2_300);
    breaks(noOverlap, stopped().works('a', 2_001, 2_010), /2 at work of 1/);
    breaks(noOverlap, stopped().works('c', 1_500, 1_510), /2 at work of 1/);
  });

  test('work started before the stop counts again once the process had time to notice', () => {
    const late = tale().works('a', 0, 3_000).paused('a', 5, 2_000).works('b', 2_500, 2_600);
    breaks(noOverlap, late, /2 at work of 1/);
  });

  test('after a loss of state twice the limit may be at work for a lease', () => {
    const lost = () => tale().works('a', 0, 5_000).lost(100).works('b', 110, 5_000);
    holds(noOverlap, lost());
    breaks(noOverlap, lost().works('c', 120, 130), /3 at work of 2/);
    breaks(
      noOverlap,
      tale().works('a', 0, 5_000).lost(100).works('b', 1_500, 1_600),
      /2 at work of 1/,
    );
  });
});

test('after a loss of state without other faults, twice the limit may be at work for half of a lease', () => {
  const lost = () => tale().works('a', 0, 5_000).fault(90, 110, true).lost(100, 105);
  holds(noOverlap, lost().works('b', 600, 5_000));
  breaks(noOverlap, lost().works('b', 800, 5_000), /2 at work of 1/);
});

describe('the work of a process that could not notice its disconnection', () => {
  const overlap = () => tale().works('a', 0, 900).works('b', 500, 510);
  const refused = () =>
    tale()
      .works('a', 0, 900, { writes: [{ at: 600, accepted: false }] })
      .works('b', 500, 510, { writes: [{ at: 505, accepted: true }] });

  test('is excluded from the count for one lease duration', () => {
    holds(noOverlap, overlap().severed('a', 100, 800, 300));
    holds(noOverlap, overlap().severed('a', 100, 800, 300, 'a'));
    holds(noStaleWrite, refused().severed('a', 100, 800, 300));
    const late = tale().works('a', 0, 3_000).severed('a', 100, 800, 300).works('b', 2_000, 2_010);
    breaks(noOverlap, late, /2 at work of 1/);
  });

  test('is counted if it could notice, or if its connections did not end', () => {
    breaks(noOverlap, overlap().severed('a', 100, 200, 300), /2 at work of 1/);
    breaks(noOverlap, overlap().severed('a', 100, 800, 300, 'b'), /2 at work of 1/);
    breaks(noOverlap, overlap().severed('c', 100, 800, 300), /2 at work of 1/);
    breaks(noOverlap, overlap().severed('a', 100, 800, 600), /2 at work of 1/);
    breaks(noStaleWrite, refused().severed('c', 100, 800, 300), /no cause/);
  });
});

describe('tokens increase', () => {
  test('a token below an earlier one is a violation', () => {
    holds(risingTokens, tale().works('a', 0, 10).works('b', 10, 20));
    breaks(
      risingTokens,
      tale().works('a', 0, 10, { token: 9 }).works('b', 10, 20, { token: 8 }),
      /below 9/,
    );
  });

  test('after a loss of state, and at limits above 1, lower tokens are no violation', () => {
    const works = (limit: number) =>
      tale(limit).works('a', 0, 10, { token: 9 }).works('b', 10, 20, { token: 8 });
    holds(risingTokens, works(1).lost(5));
    holds(risingTokens, works(3));
  });

  test('a duplicate token is a violation at any limit', () => {
    const twice = tale(3).works('a', 0, 10, { token: 9 }).works('b', 10, 20, { token: 9 });
    breaks(risingTokens, twice, /b\/2 has the token of a\/1/);
  });

  test('a permit without a token is a violation', () => {
    breaks(risingTokens, tale().works('a', 0, 10, { token: 'none' }), /no token/);
  });
});

describe('no stale token is accepted', () => {
  const at = (...accepted: [number, boolean][]) => ({
    writes: accepted.map(([time, is]) => ({ at: time, accepted: is })),
  });

  test('a token below an accepted one must not be accepted', () => {
    const stale = tale()
      .works('a', 0, 40, at([30, true]))
      .works('b', 10, 20, at([15, true]));
    breaks(noStaleWrite, stale, /a\/1 with 0 was accepted after 10/);
  });

  test('a rejection needs a cause', () => {
    const refused = (options: object = {}) =>
      tale()
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
      tale()
        .works('a', 0, 5_000, at([4_000, false]))
        .works('b', 1_000, 1_020, at([1_015, true]))
        .lost(lost);
    holds(noStaleWrite, long(900));
    breaks(noStaleWrite, long(3_900), /no cause/);
  });

  test('a write that was in progress when the signal aborted may be rejected', () => {
    const under = tale()
      .works('a', 0, 12, { ...at([30, false]), aborted: true })
      .works('b', 13, 20, at([15, true]));
    holds(noStaleWrite, under);
  });
});

describe('first in, first out', () => {
  const steady = [0, 300, 600, 900];

  test('a later waiter may be granted later', () => {
    holds(
      inOrder,
      tale()
        .waits('a', '1', steady, [600, 950])
        .waits('b', '2', [50, 350, 650, 950], [950, 1_000])
        .waits('c', '3', [60, 1_000, 1_300]),
    );
  });

  test('a later waiter must not be granted while an earlier one is still queued', () => {
    const passed = (asked: readonly number[]) =>
      tale().waits('a', '1', asked, [900, 950]).waits('b', '2', [50, 350], [350, 500]);
    breaks(inOrder, passed(steady), /b of B passed a of A/);
    // It had not been renewed, and was not certainly in the queue all the time.
    expect(inOrder(passed([0, 1_600]).log)).toEqual({ checked: 0, broken: [] });
    // Its deadline may have passed when it asked again.
    const late = tale()
      .waits('a', '1', steady, undefined, 450)
      .waits('b', '2', [50, 350], [350, 500]);
    expect(inOrder(late.log)).toEqual({ checked: 0, broken: [] });
  });

  test('if a queue position is certain for less than a lease, fewer violations are provable', () => {
    const passed = (certain: number) =>
      new Tale(1, certain).waits('a', '1', [0, 600], [900, 950]).waits('b', '2', [50], [350, 500]);
    breaks(inOrder, passed(1_000), /b of B passed a of A/);
    expect(inOrder(passed(500).log)).toEqual({ checked: 0, broken: [] });
  });

  test('a caller that is granted without waiting must not pass a waiter', () => {
    breaks(
      inOrder,
      tale().waits('a', '1', steady, [900, 950]).waits('b', undefined, [], [350, 400]),
      /b of B passed a of A/,
    );
  });

  test('without queue positions, a waiter queued before the other was requested comes first', () => {
    const pair = (asked: number) =>
      tale().waits('a', undefined, steady, [900, 950]).waits('b', undefined, [asked], [350, 500]);
    breaks(inOrder, pair(50), /b of B passed a of A/);
    // Both requests were in progress at the same time.
    expect(inOrder(pair(5).log)).toEqual({ checked: 0, broken: [] });
    // It was not renewed in time, and was enqueued again.
    const again = tale()
      .waits('a', undefined, [-2_000, ...steady], [900, 950])
      .waits('b', undefined, [-500], [350, 500]);
    expect(inOrder(again.log).broken).toEqual([]);
    holds(inOrder, pair(-50));
  });

  test('after a loss of state new callers may pass waiters for a lease', () => {
    const passed = () =>
      tale().waits('a', '1', steady, [900, 950]).waits('b', '2', [50], [350, 500]);
    expect(inOrder(passed().lost(200).log).broken).toEqual([]);
    breaks(inOrder, passed().lost(-2_000), /passed/);
    breaks(inOrder, passed().lost(600), /passed/);
  });
});

describe('no caller waits past its timeout', () => {
  test('a late answer is a violation', () => {
    holds(noneWaitsTooLong, tale().asks('a', 0, 500, 510));
    breaks(noneWaitsTooLong, tale().asks('a', 0, 500, 900), /a\/1 waited 900 ms of 500/);
  });

  test('a stopped process may answer when it continues', () => {
    holds(noneWaitsTooLong, tale().asks('a', 0, 500, 2_010).paused('a', 100, 2_000));
    breaks(noneWaitsTooLong, tale().asks('a', 0, 500, 2_300).paused('a', 100, 2_000), /waited/);
    breaks(noneWaitsTooLong, tale().asks('a', 0, 500, 2_010).paused('b', 100, 2_000), /waited/);
  });

  test('only a killed process may leave a call unanswered', () => {
    breaks(noneWaitsTooLong, tale().asks('a', 0, 500), /never answered/);
    holds(noneWaitsTooLong, tale().asks('a', 0, 500).killed('a', 100));
  });
});

describe('every permit is released', () => {
  const probe = (admitted: number, inflight = 0, queued = 0) =>
    tale(3).event({ kind: 'probed', from: 0, at: 1, limit: 3, admitted, inflight, queued });

  test('the whole limit must be available, and nothing may be left', () => {
    holds(allComeBack, probe(3));
    breaks(allComeBack, probe(2), /2 of 3/);
    breaks(allComeBack, probe(3, 1), /1 held/);
    breaks(allComeBack, probe(3, 0, 1), /1 queued/);
    breaks(allComeBack, probe(2).paused('a', -9, -1), /2 of 3/);
    holds(allComeBack, probe(2).paused('a', 0, 1));
  });
});

describe('permits of dead processes become available', () => {
  const inherited = (at: number, admitted = true) =>
    tale().event({ kind: 'inherited', from: 0, at, limit: 1, admitted });

  test("permits must be available within the subject's time", () => {
    holds(theDeadAreInherited, inherited(1_100));
    breaks(theDeadAreInherited, inherited(1_300), /only 1300 ms later/);
    breaks(theDeadAreInherited, inherited(500, false), /never available/);
    holds(theDeadAreInherited, inherited(1_300).paused('b', 200, 400));
  });
});

describe('no process dies', () => {
  test('only a killed process may end, and no error may be unhandled', () => {
    const exited = () => tale().event({ kind: 'exited', at: 5, worker: 'a', how: '1' });
    holds(allLive, exited().killed('a', 4));
    breaks(allLive, exited(), /a ended: 1/);
    breaks(allLive, exited().killed('b', 4), /a ended: 1/);
    breaks(allLive, tale().event({ kind: 'failed', at: 5, worker: 'a', what: 'oops' }), /a: oops/);
  });
});

describe('no disturbance without a fault', () => {
  const calm = () => tale().event({ kind: 'calm', from: 0, at: 3_000 });

  test('permits are granted one after the other', () => {
    holds(calmIsQuiet, calm().works('a', 0, 1_000).works('b', 1_100, 3_000));
  });

  test('a lost lease or a failing store is a violation', () => {
    breaks(calmIsQuiet, calm().works('a', 0, 1_000, { aborted: true }), /lost its lease/);
    breaks(calmIsQuiet, calm().asks('a', 0, 500, 100, 'store ERR'), /rejected \(store ERR\)/);
    holds(calmIsQuiet, calm().asks('a', 0, 500, 400));
  });

  test('a pause of the verifier, which runs the proxies, excuses a lost lease', () => {
    const lost = () => calm().works('a', 0, 1_000, { aborted: true });
    holds(calmIsQuiet, lost().paused(verifier, 500, 700));
    holds(calmIsQuiet, lost().paused('a', 500, 700));
    breaks(calmIsQuiet, lost().paused('b', 500, 700), /lost its lease/);
  });

  test('waiters without any work are a violation', () => {
    breaks(
      calmIsQuiet,
      calm().works('b', 0, 100).asks('a', 50, 2_000, 1_500),
      /for 1400 ms callers waited/,
    );
    breaks(calmIsQuiet, calm().asks('a', 50, 700, 700).asks('b', 400, 2_000, 1_500), /for 1450 ms/);
    holds(calmIsQuiet, calm().works('b', 0, 1_500).asks('a', 50, 2_000, 1_500));
  });
});

describe('no permit is lost without a fault', () => {
  const lost = () => tale().works('a', 0, 1_000, { aborted: true });

  test('a permit that ends by its release is not lost', () => {
    holds(noLossWithoutFault, tale().works('a', 0, 1_000));
  });

  test('losing the first permit of a process is a violation even before the first calm phase', () => {
    breaks(noLossWithoutFault, lost(), /a\/1 lost its permit without a fault/);
    breaks(noLossWithoutFault, lost().event({ kind: 'calm', from: 1_200, at: 3_000 }), /a\/1/);
  });

  test('a fault, a pause or a killed process within one lease before the loss excuses it', () => {
    holds(noLossWithoutFault, lost().fault(-1_500, -900));
    holds(noLossWithoutFault, lost().fault(900, 2_000));
    holds(noLossWithoutFault, lost().paused('a', 400, 900));
    holds(noLossWithoutFault, lost().killed('b', 500));
  });

  test('a fault that must cost no permit does not excuse a loss', () => {
    breaks(noLossWithoutFault, lost().fault(500, 510, true), /a\/1/);
    breaks(noLossWithoutFault, lost().fault(500, 510, true).lost(500, 505), /a\/1/);
  });

  test('faults at other times and pauses of other processes do not excuse a loss', () => {
    breaks(noLossWithoutFault, lost().fault(-3_000, -1_100), /a\/1/);
    breaks(noLossWithoutFault, lost().fault(1_100, 2_000), /a\/1/);
    breaks(noLossWithoutFault, lost().paused('b', 400, 900), /a\/1/);
  });
});
