/** The common interface of the semaphores compared: runs a task once there is room. */
export interface TaskLimiter {
  run(task: () => Promise<void>): Promise<unknown>;
}

type Create = (limit: number) => Promise<TaskLimiter>;

/** Each contender is imported only by the process that measures it, and used as documented. */
export const contenders: Record<string, Create> = {
  'bare await': async () => ({ run: async (task) => await task() }),
  'hand-written (ring)': async (limit) => {
    const { RingSemaphore } = await import('./ring.ts');
    return new RingSemaphore(limit);
  },
  headgate: async (limit) => {
    const { createLimiter } = await import('@headgate/core');
    const forever = {
      queueLimit: Number.POSITIVE_INFINITY,
      queueTimeout: Number.POSITIVE_INFINITY,
    };
    return createLimiter({ limit, ...forever });
  },
  'p-limit': async (limit) => {
    const { default: pLimit } = await import('p-limit');
    return { run: pLimit(limit) };
  },
  'async-sema': async (limit) => {
    const { Sema } = await import('async-sema');
    const sema = new Sema(limit);
    return {
      run: async (task) => {
        await sema.acquire();
        try {
          return await task();
        } finally {
          sema.release();
        }
      },
    };
  },
  'async-mutex': async (limit) => {
    const { Semaphore } = await import('async-mutex');
    const semaphore = new Semaphore(limit);
    return { run: (task) => semaphore.runExclusive(task) };
  },
  bottleneck: async (limit) => {
    const { default: Bottleneck } = await import('bottleneck');
    const bottleneck = new Bottleneck({ maxConcurrent: limit });
    return { run: (task) => bottleneck.schedule(task) };
  },
  cockatiel: async (limit) => {
    const { bulkhead } = await import('cockatiel');
    const policy = bulkhead(limit, Number.POSITIVE_INFINITY);
    return { run: (task) => policy.execute(task) };
  },
  'p-queue': async (limit) => {
    const { default: PQueue } = await import('p-queue');
    const queue = new PQueue({ concurrency: limit });
    return { run: (task) => queue.add(task) };
  },
  fastq: async (limit) => {
    const { default: fastq } = await import('fastq');
    const queue = fastq.promise((task: () => Promise<void>) => task(), limit);
    return { run: (task) => queue.push(task) };
  },
  effect: async (limit) => {
    const { Effect, Semaphore } = await import('effect');
    const semaphore = Semaphore.makeUnsafe(limit);
    return { run: (task) => Effect.runPromise(semaphore.withPermit(Effect.promise(task))) };
  },
};

export const contenderNames = Object.keys(contenders);

export async function createContender(name: string, limit: number): Promise<TaskLimiter> {
  const create = contenders[name];
  if (!create) throw new Error(`no contender is called ${name}`);
  return create(limit);
}
