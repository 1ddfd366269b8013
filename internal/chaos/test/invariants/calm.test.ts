import { describe, test } from 'vitest';
import { noDisturbance } from '../../src/invariants/calm.ts';
import { server, verifier } from '../../src/log/watch-loop.ts';
import { breaks, emptyLog, holds } from '../log-builder.ts';

describe('no disturbance without a fault', () => {
  const calm = () => emptyLog().event({ kind: 'calm', from: 0, at: 3_000 });

  test('permits are granted one after the other', () => {
    holds(noDisturbance, calm().works('a', 0, 1_000).works('b', 1_100, 3_000));
  });

  test('a lost lease or a failing store is a violation', () => {
    breaks(noDisturbance, calm().works('a', 0, 1_000, { aborted: true }), /lost its lease/);
    breaks(noDisturbance, calm().asks('a', 0, 500, 100, 'store ERR'), /rejected \(store ERR\)/);
    holds(noDisturbance, calm().asks('a', 0, 500, 400));
  });

  test('a pause of the server, or of the verifier that runs the proxies, excuses a lost lease', () => {
    const lost = () => calm().works('a', 0, 1_000, { aborted: true });
    holds(noDisturbance, lost().paused(verifier, 500, 700));
    holds(noDisturbance, lost().paused('a', 500, 700));
    holds(noDisturbance, lost().paused(server, 500, 700));
    breaks(noDisturbance, lost().paused('b', 500, 700), /lost its lease/);
  });

  test('waiters without any permit at work are a violation', () => {
    breaks(
      noDisturbance,
      calm().works('b', 0, 100).asks('a', 50, 2_000, 1_500),
      /for 1400 ms callers waited/,
    );
    breaks(
      noDisturbance,
      calm().asks('a', 50, 700, 700).asks('b', 400, 2_000, 1_500),
      /for 1450 ms/,
    );
    holds(noDisturbance, calm().works('b', 0, 1_500).asks('a', 50, 2_000, 1_500));
  });
});
