import { systemClock } from '@headgate/core';
import { Memory, memoryStore } from '@headgate/store-kit/memory-store';
import { storeSuite, VirtualClock } from '../src/index.ts';

/** The clock of a server, which an operator can set back. */
function serverClock(clock: Pick<VirtualClock, 'now' | 'setTimeout' | 'clearTimeout'>) {
  // Far from 0, since the time of a server is never negative.
  let behind = -1_000_000;
  return {
    now: () => clock.now() - behind,
    setTimeout: (callback: () => void, delay: number) => clock.setTimeout(callback, delay),
    clearTimeout: (timer: unknown) => clock.clearTimeout(timer as never),
    setBack: (milliseconds: number) => {
      behind += milliseconds;
    },
  };
}

const real = serverClock(systemClock as never);
const memory = new Memory({ clock: real });

storeSuite({
  name: 'the memory store in real time',
  connect: (times) => memoryStore({ memory, ...times }),
  leaseDuration: 300,
  setBack: real.setBack,
  wipe: () => memory.wipe(),
});

const clock = new VirtualClock();
const virtual = serverClock(clock);
const timeless = new Memory({ clock: virtual });

storeSuite({
  name: 'the memory store in virtual time',
  connect: (times) => memoryStore({ memory: timeless, clock, ...times }),
  elapse: (milliseconds) => clock.advance(milliseconds),
  setBack: virtual.setBack,
  wipe: () => timeless.wipe(),
});
