import { acquireTimeout, type Held, type Open } from '../../distributed/contender.ts';
import { connect } from '../connect.ts';

/** Used as documented: one semaphore object per use. */
export const redisSemaphore: Open = async ({ port, name, limit, lease }) => {
  const { Semaphore } = await import('redis-semaphore');
  const client = await connect(port);
  const options = { lockTimeout: lease, acquireTimeout };
  return {
    acquire: async () => {
      const semaphore = new Semaphore(client, name, limit, options);
      await semaphore.acquire();
      return semaphore;
    },
  };
};

export const bottleneck: Open = async ({ port, name, limit }) => {
  const { default: Bottleneck } = await import('bottleneck');
  const connection = new Bottleneck.IORedisConnection({ client: await connect(port) });
  const limiter = new Bottleneck({ id: name, maxConcurrent: limit, connection });
  await limiter.ready();
  return {
    acquire: () =>
      new Promise<Held>((resolve) => {
        const done = limiter.schedule(
          () => new Promise<void>((end) => resolve({ release: () => back(end) })),
        );
        const back = (end: () => void) => {
          end();
          return done;
        };
      }),
  };
};
