import type { Sampler } from './runner.ts';

export const milliseconds = (): number => performance.now();

const batchTime = 40;
const maxBatch = 5_000_000;

/** Warms up a loop, then samples the nanoseconds per operation in batches of about 40 ms. */
export async function loopSampler(loop: (count: number) => unknown): Promise<Sampler> {
  const time = async (count: number) => {
    const start = milliseconds();
    await loop(count);
    return milliseconds() - start;
  };
  let count = 50;
  for (let warmUps = 0; warmUps < 5; ) {
    const took = await time(count);
    if (took >= batchTime / 2 || count >= maxBatch) warmUps++;
    else count = Math.min(maxBatch, count * 2);
  }
  return async () => ({ ns: ((await time(count)) * 1e6) / count });
}

/** The heap in use after garbage collection. */
export async function liveHeap(): Promise<number> {
  const { gc } = globalThis;
  if (!gc) throw new Error('needs --expose-gc');
  // Lets the event loop run first, which releases the reactions of settled promises and the last stack frames.
  await new Promise((resolve) => setTimeout(resolve, 10));
  gc();
  gc();
  return process.memoryUsage().heapUsed;
}
