import { JumpingClock } from '@headgate/test-kit/jumping-clock';
import { expect, it } from 'vitest';
import type { AssignedLease } from '../src/semaphore/assigned-lease.ts';
import { IdleLeases } from '../src/semaphore/idle-leases.ts';

it.each([0, 0.1, 123.456, 1_699_999_999_999.7])(
  'an idle lease is evicted by a clock that starts at %d and jumps to its timer',
  (start) => {
    const clock = new JumpingClock(start);
    const evicted: AssignedLease[] = [];
    const idle = new IdleLeases(clock, (leases) => void evicted.push(...leases));
    idle.add({ weight: 1 } as AssignedLease);
    clock.run();
    expect([evicted.length, idle.length]).toEqual([1, 0]);
  },
);
