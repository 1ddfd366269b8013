// One process of an app: does what its parent says, and listens to no errors, so that each would end it.
import { failureOf } from './failure.ts';
import { Instance, type Settings } from './instance.ts';
import type { Call } from './worker-process.ts';

const instances = new Map<number, Instance>();

function send(message: object): void {
  process.send?.(message);
}

async function answer({ call, at, method, args }: Call): Promise<void> {
  try {
    if (method === 'make') {
      const tell = (happening: object) => send({ at, happening });
      instances.set(at, new Instance(args[0] as Settings, tell));
      return send({ call });
    }
    const instance = instances.get(at) as Instance;
    if (method === 'end') instances.delete(at);
    const result = await (instance[method] as (...args: unknown[]) => unknown)(...args);
    send({ call, result });
  } catch (error) {
    send({ call, failure: failureOf(error) });
  }
}

process.on('message', (message) => void answer(message as Call));
process.on('disconnect', () => process.exit());
send({ call: 0 });
