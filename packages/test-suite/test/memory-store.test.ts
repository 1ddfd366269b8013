import { Memory, memoryStore } from '@headgate/store-kit/memory-store';
import { storeSuite, VirtualClock } from '../src/index.ts';

const memory = new Memory();

storeSuite({
  name: 'the memory store in real time',
  connect: (times) => memoryStore({ memory, ...times }),
  leaseDuration: 300,
  wipe: () => memory.wipe(),
});

const clock = new VirtualClock();
const timeless = new Memory({ clock });

storeSuite({
  name: 'the memory store in virtual time',
  connect: (times) => memoryStore({ memory: timeless, clock, ...times }),
  elapse: (milliseconds) => clock.advance(milliseconds),
  wipe: () => timeless.wipe(),
});
