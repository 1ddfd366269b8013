import { createRequire } from 'node:module';
import { type ConcurrencyLimit, concurrencyLimit } from '@headgate/fastify';
import { type Call, worldOfEachTest } from '@headgate/test-suite';
import Fastify, { type FastifyInstance } from 'fastify';
import Fastify4 from 'fastify4';
import { fastifyFramework } from './framework.ts';

/** Both major versions, for `describe.each`. */
export const versions = [
  ['Fastify 5', Fastify],
  ['Fastify 4', Fastify4 as unknown as typeof Fastify],
] as const;

export const version4: string = createRequire(import.meta.url)('fastify4/package.json').version;

/** Serves apps that tests build themselves, with the checks of the suite after each test. */
export function appsOfEachTest(name: string, create: typeof Fastify) {
  const world = worldOfEachTest(fastifyFramework(name, create));
  return {
    world,

    limited: (options: Parameters<typeof concurrencyLimit>[0]): ConcurrencyLimit =>
      world.watch(concurrencyLimit(options)),

    async serve(app: FastifyInstance, options = {}): Promise<(path: string) => Call> {
      await app.ready();
      const running = await world.serveThrough(() => (req, res) => app.routing(req, res));
      return (path) => running.call(path, options);
    },
  };
}
