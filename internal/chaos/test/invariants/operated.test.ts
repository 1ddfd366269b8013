import { describe, test } from 'vitest';
import { noGrantAboveLimit } from '../../src/invariants/above-limit.ts';
import {
  allAgree,
  noGrantWhileClosed,
  noRejectionInShadowMode,
} from '../../src/invariants/operated.ts';
import { breaks, emptyLog, holds } from '../log-builder.ts';

describe('nothing is granted while the limit is paused or rejecting', () => {
  const paused = (until = 900) =>
    emptyLog(2).answers(100, 'paused enforce 2', 7).answers(until, 'paused enforce 2', 7);

  test('a call that is granted before or after the pause is no violation', () => {
    holds(noGrantWhileClosed, paused().works('a', 50, 150).asks('b', 200, 1_000));
    holds(noGrantWhileClosed, paused().asks('b', 200, 1_000).works('a', 905, 950));
  });

  test('a call that is granted during the pause is a violation', () => {
    breaks(noGrantWhileClosed, paused().works('a', 300, 310), /a\/1 was granted, paused since/);
    const rejecting = emptyLog(2)
      .answers(100, 'rejecting shadow 2', 7)
      .answers(900, 'rejecting shadow 2', 7);
    breaks(noGrantWhileClosed, rejecting.works('a', 300, 310), /rejecting/);
  });

  test('a permit without a token was granted without the store', () => {
    holds(noGrantWhileClosed, paused().works('a', 300, 310, { token: 'none' }));
  });

  test('no grant counts as a fault if a loss of state or a later version may have opened the limit', () => {
    holds(
      noGrantWhileClosed,
      paused()
        .works('a', 300, 310)
        .lost(200)
        .asks('b', 150, 10)
        .answers(160, 'paused enforce 2', 7),
    );
    holds(
      noGrantWhileClosed,
      paused(200).asks('b', 150, 10).works('a', 300, 310).answers(400, 'open enforce 2', 8),
    );
  });

  test('a limit that was not used for a lease may have been forgotten', () => {
    holds(
      noGrantWhileClosed,
      paused(200).asks('b', 150, 10).works('a', 300, 310).answers(1_900, 'paused enforce 2', 7),
    );
  });
});

describe('no grant exceeds the limit that applies', () => {
  const enforced = () =>
    emptyLog(2).answers(100, 'open enforce 2', 7).answers(900, 'open enforce 2', 7);

  test('permits granted in an earlier shadow mode count', () => {
    const shadow = () => enforced().works('a', 10, 500).works('b', 11, 500).works('c', 12, 500);
    holds(noGrantAboveLimit, shadow().works('d', 600, 700));
    breaks(noGrantAboveLimit, shadow().works('d', 400, 700), /4 at work of 2/);
  });

  test('a call that is heavier than the limit is granted alone', () => {
    holds(noGrantAboveLimit, enforced().works('a', 200, 300, { weight: 3 }));
    breaks(
      noGrantAboveLimit,
      enforced().works('b', 190, 400).works('a', 200, 300, { weight: 3 }),
      /4 at work/,
    );
  });

  test('the current limit applies, not the initial one', () => {
    const raised = () =>
      emptyLog(2).answers(100, 'open enforce 4', 7).answers(900, 'open enforce 4', 7);
    const three = () => raised().works('a', 200, 500).works('b', 210, 500).works('c', 220, 500);
    holds(noGrantAboveLimit, three().works('d', 230, 500));
    breaks(noGrantAboveLimit, three().works('d', 230, 500, { weight: 2 }), /5 at work of 4/);
  });

  test('in shadow mode, and within a lease after a loss of state, more may be granted', () => {
    const three = (mode: string) =>
      emptyLog(2)
        .answers(100, `open ${mode} 2`, 7)
        .works('a', 190, 195)
        .works('a', 200, 500)
        .works('b', 210, 500)
        .works('c', 220, 500)
        .answers(900, `open ${mode} 2`, 7);
    breaks(noGrantAboveLimit, three('enforce'), /3 at work of 2/);
    holds(
      noGrantAboveLimit,
      three('enforce')
        .lost(20, 30)
        .answers(1_100, 'open enforce 2', 7)
        .works('d', 1_190, 1_195)
        .answers(1_300, 'open enforce 2', 7),
    );
    holds(
      noGrantAboveLimit,
      three('shadow')
        .answers(950, 'open enforce 2', 8)
        .works('d', 960, 965)
        .answers(990, 'open enforce 2', 8),
    );
  });
});

describe('shadow mode rejects nothing', () => {
  const shadow = () =>
    emptyLog(2).answers(100, 'open shadow 2', 7).answers(900, 'open shadow 2', 7);

  test('a rejection is a violation', () => {
    breaks(
      noRejectionInShadowMode,
      shadow().asks('a', 200, 100, 300, 'full'),
      /a\/1 was rejected \(full\)/,
    );
    holds(
      noRejectionInShadowMode,
      shadow().works('a', 200, 300).asks('b', 800, 200, 1_000, 'timeout'),
    );
  });

  test('a fault excuses a rejection', () => {
    holds(noRejectionInShadowMode, shadow().asks('a', 200, 100, 300, 'store').fault(250, 260));
  });
});

describe('all processes know how the limit is operated', () => {
  test('two processes must agree with each other', () => {
    holds(
      allAgree,
      emptyLog(2).knows('a', 100, 1, 'open enforce 2').knows('b', 110, 1, 'open enforce 2'),
    );
    breaks(
      allAgree,
      emptyLog(2).knows('a', 100, 1, 'open enforce 2').knows('b', 110, 1, 'open enforce 4'),
      /b knows "open enforce 4"/,
    );
    holds(
      allAgree,
      emptyLog(2).knows('a', 100, 1, 'open enforce 2').knows('b', 110, 2, 'open enforce 4'),
    );
  });

  test('each process must know the expected state', () => {
    breaks(
      allAgree,
      emptyLog(2).knows('a', 100, 1, 'paused enforce 2', 'open enforce 2'),
      /not "open enforce 2"/,
    );
  });

  test('a process that was frozen may know another state', () => {
    holds(
      allAgree,
      emptyLog(2)
        .knows('a', 100, 1, 'open enforce 2')
        .knows('b', 110, 1, 'open enforce 4')
        .paused('b', 60, 105),
    );
  });
});
