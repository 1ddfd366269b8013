import { describe, test } from 'vitest';
import { theDeadAreInherited } from '../../src/invariants/inheritance.ts';
import { allComeBack } from '../../src/invariants/return.ts';
import { allLive } from '../../src/invariants/survival.ts';
import { breaks, holds, tale } from '../tale.ts';

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
