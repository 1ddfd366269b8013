import { describe, test } from 'vitest';
import { noOverlap } from '../../src/invariants/overlap.ts';
import { noStaleWrite } from '../../src/invariants/tokens.ts';
import { breaks, emptyLog, holds } from '../log-builder.ts';

describe('the weight at work never exceeds the limit', () => {
  test('sequential grants are no violation', () => {
    holds(noOverlap, emptyLog().works('a', 0, 10).works('b', 10, 20));
  });

  test('two grants at once at limit 1 are a violation', () => {
    breaks(
      noOverlap,
      emptyLog().works('a', 0, 10).works('b', 9, 20),
      /2 at work of 1: a\/1×1, b\/2×1/,
    );
  });

  test('weights are added up', () => {
    holds(noOverlap, emptyLog(3).works('a', 0, 10, { weight: 2 }).works('b', 1, 20));
    breaks(
      noOverlap,
      emptyLog(3).works('a', 0, 10, { weight: 2 }).works('b', 1, 20, { weight: 2 }),
      /4 at work of 3/,
    );
  });

  test('work ends when its process is killed', () => {
    holds(noOverlap, emptyLog().works('a', 0).killed('a', 5).works('b', 6, 20));
    breaks(noOverlap, emptyLog().works('a', 0).works('b', 6, 20), /2 at work/);
  });

  test('a permit that was lost before its work began does not count as work', () => {
    holds(noOverlap, emptyLog().works('a', 0, 20).works('b', 5, 5, { aborted: true }));
  });

  test('the work of a stopped process does not count towards the limit', () => {
    const stopped = () => emptyLog().works('a', 0, 2_010).paused('a', 5, 2_000);
    holds(noOverlap, stopped().works('b', 1_000, 1_900));
    holds(noOverlap, stopped().works('b', 2_005, 2_300));
  });

  test('work that a stopped process began after the stop counts, as does the work of other processes', () => {
    const stopped = () => emptyLog().paused('a', 5, 2_000).works('b', 1_000, 2_300);
    breaks(noOverlap, stopped().works('a', 2_001, 2_010), /2 at work of 1/);
    breaks(noOverlap, stopped().works('c', 1_500, 1_510), /2 at work of 1/);
  });

  test('work that was started before the stop counts again once the process has had time to notice', () => {
    const late = emptyLog().works('a', 0, 3_000).paused('a', 5, 2_000).works('b', 2_500, 2_600);
    breaks(noOverlap, late, /2 at work of 1/);
  });

  test('for one lease after a loss of state, twice the limit may be at work', () => {
    const lost = () => emptyLog().works('a', 0, 5_000).lost(100).works('b', 110, 5_000);
    holds(noOverlap, lost());
    breaks(noOverlap, lost().works('c', 120, 130), /3 at work of 2/);
    breaks(
      noOverlap,
      emptyLog().works('a', 0, 5_000).lost(100).works('b', 1_500, 1_600),
      /2 at work of 1/,
    );
  });
});

test('after a loss of state without other faults, twice the limit may be at work for half of a lease', () => {
  const lost = () => emptyLog().works('a', 0, 5_000).fault(90, 110, true).lost(100, 105);
  holds(noOverlap, lost().works('b', 600, 5_000));
  breaks(noOverlap, lost().works('b', 800, 5_000), /2 at work of 1/);
});

describe('the work of a process that could not notice its disconnection', () => {
  const overlap = () => emptyLog().works('a', 0, 900).works('b', 500, 510);
  const refused = () =>
    emptyLog()
      .works('a', 0, 900, { writes: [{ at: 600, accepted: false }] })
      .works('b', 500, 510, { writes: [{ at: 505, accepted: true }] });

  test('is excluded from the count for one lease duration', () => {
    holds(noOverlap, overlap().disconnectedUnnoticed('a', 100, 800, 300));
    holds(noOverlap, overlap().disconnectedUnnoticed('a', 100, 800, 300, 'a'));
    holds(noStaleWrite, refused().disconnectedUnnoticed('a', 100, 800, 300));
    const late = emptyLog()
      .works('a', 0, 3_000)
      .disconnectedUnnoticed('a', 100, 800, 300)
      .works('b', 2_000, 2_010);
    breaks(noOverlap, late, /2 at work of 1/);
  });

  test('is counted if it could notice, or if its connections did not end', () => {
    breaks(noOverlap, overlap().disconnectedUnnoticed('a', 100, 200, 300), /2 at work of 1/);
    breaks(noOverlap, overlap().disconnectedUnnoticed('a', 100, 800, 300, 'b'), /2 at work of 1/);
    breaks(noOverlap, overlap().disconnectedUnnoticed('c', 100, 800, 300), /2 at work of 1/);
    breaks(noOverlap, overlap().disconnectedUnnoticed('a', 100, 800, 600), /2 at work of 1/);
    breaks(noStaleWrite, refused().disconnectedUnnoticed('c', 100, 800, 300), /no cause/);
  });
});
