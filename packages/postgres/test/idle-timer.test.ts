import { JumpingClock } from '@headgate/test-kit/jumping-clock';
import { expect, it } from 'vitest';
import { IdleTimer } from '../src/idle-timer.ts';

it.each([0, 24.1, 123.456, 1_699_999_999_999.7])(
  'an unused process disconnects on a clock that starts at %d and jumps to each timer',
  (start) => {
    const clock = new JumpingClock(start);
    const calls: string[] = [];
    const timer = new IdleTimer({
      clock,
      idleTimeout: 2_000.1,
      isActive: () => false,
      suspend: () => calls.push('suspend'),
      disconnect: () => calls.push('disconnect'),
    });
    timer.wake();
    clock.run();
    expect(calls).toEqual(['suspend', 'disconnect']);
  },
);
