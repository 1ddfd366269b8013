// A worker pool without HTTP: at most four items at a time, results in order; the first error stops the rest.
import { setTimeout as pause } from 'node:timers/promises';
import { map } from '@headgate/core';

// An item is taken from the source only when it can start, so the source may be endless, or slow.
async function* invoices() {
  for (let number = 1; number <= 20; number++) yield { number, total: number * 10 };
}

let busy = 0;
let busiest = 0;

const sent = await map(
  invoices(),
  async ({ number, total }, _index, signal) => {
    busiest = Math.max(busiest, ++busy);
    await pause(20, undefined, { signal }); // placeholder for the real work
    busy--;
    return `invoice ${number} over ${total}`;
  },
  { limit: 4, signal: AbortSignal.timeout(30_000) },
);

console.log(`${sent.length} sent, at most ${busiest} at once; the last: ${sent.at(-1)}`);
