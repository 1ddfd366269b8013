import { describe, test } from 'vitest';
import { noLossWithoutFault } from '../../src/invariants/loss.ts';
import { breaks, emptyLog, holds } from '../log-builder.ts';

describe('no permit is lost without a fault', () => {
  const lost = () => emptyLog().works('a', 0, 1_000, { aborted: true });

  test('a permit that ends by its release is not lost', () => {
    holds(noLossWithoutFault, emptyLog().works('a', 0, 1_000));
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
