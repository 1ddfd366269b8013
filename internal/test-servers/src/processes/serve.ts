import { failureOf } from './failure.ts';
import type { Tell, WorkerLimiter } from './worker-limiter.ts';
import type { Call, Reply } from './worker-process.ts';

/**
 * Makes this process a part of an app that executes its parent's calls. It has no error handlers, so any unhandled
 * error ends it.
 */
export function serve<S>(
  make: (settings: S, tell: Tell) => WorkerLimiter | Promise<WorkerLimiter>,
): void {
  const limiters = new Map<number, WorkerLimiter>();
  const send = (message: Reply) => process.send?.(message);
  const answer = async ({ call, limiterId, method, args }: Call) => {
    try {
      if (method === 'make') {
        limiters.set(limiterId, await make(args[0] as S, (event) => send({ limiterId, event })));
        return send({ call });
      }
      const limiter = limiters.get(limiterId) as WorkerLimiter;
      if (method === 'end') limiters.delete(limiterId);
      const run = limiter[method as keyof WorkerLimiter] as (...args: unknown[]) => unknown;
      send({ call, result: await run.apply(limiter, [...args]) });
    } catch (error) {
      send({ call, failure: failureOf(error) });
    }
  };
  process.on('message', (message) => void answer(message as Call));
  process.on('disconnect', () => process.exit());
  send({ call: 0 });
}
