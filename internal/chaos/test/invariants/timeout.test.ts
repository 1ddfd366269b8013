import { describe, test } from 'vitest';
import { noLateAnswers } from '../../src/invariants/timeout.ts';
import { breaks, emptyLog, holds } from '../log-builder.ts';

describe('no caller waits past its timeout', () => {
  test('a late answer is a violation', () => {
    holds(noLateAnswers, emptyLog().asks('a', 0, 500, 510));
    breaks(noLateAnswers, emptyLog().asks('a', 0, 500, 900), /a\/1 waited 900 ms of 500/);
  });

  test('a stopped process may answer when it continues', () => {
    holds(noLateAnswers, emptyLog().asks('a', 0, 500, 2_010).paused('a', 100, 2_000));
    breaks(noLateAnswers, emptyLog().asks('a', 0, 500, 2_300).paused('a', 100, 2_000), /waited/);
    breaks(noLateAnswers, emptyLog().asks('a', 0, 500, 2_010).paused('b', 100, 2_000), /waited/);
  });

  test('only a killed process may leave a call unanswered', () => {
    breaks(noLateAnswers, emptyLog().asks('a', 0, 500), /never answered/);
    holds(noLateAnswers, emptyLog().asks('a', 0, 500).killed('a', 100));
  });
});
