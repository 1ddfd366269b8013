import { failureOf } from './failure.ts';
import type { Instance, Tell } from './instance.ts';
import type { Call } from './worker-process.ts';

/**
 * A process of an app, which executes its parent's calls. It has no error handlers, so that any unhandled error ends
 * it.
 */
export function serve<S>(make: (settings: S, tell: Tell) => Instance | Promise<Instance>): void {
  const instances = new Map<number, Instance>();
  const send = (message: object) => process.send?.(message);
  const answer = async ({ call, at, method, args }: Call) => {
    try {
      if (method === 'make') {
        instances.set(at, await make(args[0] as S, (happening) => send({ at, happening })));
        return send({ call });
      }
      const instance = instances.get(at) as Instance;
      if (method === 'end') instances.delete(at);
      const run = instance[method as keyof Instance] as (...args: unknown[]) => unknown;
      send({ call, result: await run.apply(instance, [...args]) });
    } catch (error) {
      send({ call, failure: failureOf(error) });
    }
  };
  process.on('message', (message) => void answer(message as Call));
  process.on('disconnect', () => process.exit());
  send({ call: 0 });
}
