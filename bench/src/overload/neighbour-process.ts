import { setTimeout as sleep } from 'node:timers/promises';

/** The longest burst, and the longest pause, in milliseconds. */
const max = 200;

process.on('disconnect', () => process.exit());

for (;;) {
  const end = performance.now() + Math.random() * max;
  while (performance.now() < end);
  await sleep(Math.random() * max);
}
