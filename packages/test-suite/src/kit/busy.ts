import type { SuiteLimit, SuiteOptions } from '../framework.ts';
import type { Answer, Call, CallOptions } from './call.ts';
import { Paused } from './handlers.ts';
import type { Running, World } from './world.ts';

export interface Busy {
  readonly app: Running;
  readonly limit: SuiteLimit;
  readonly work: Paused;
  /** Holds the only permit until `work` is finished. */
  readonly holder: Call;
}

/** An app with a limit of 1 and a running request. It has no queue, unless the options set one. */
export async function busy(world: World, options: SuiteOptions = {}): Promise<Busy> {
  const work = new Paused();
  const common = { queueLimit: 0, ...options };
  const limit = world.limit(options.limits === undefined ? { limit: 1, ...common } : common);
  const app = await world.serve({ use: limit }, { handle: work.handler });
  const holder = app.call('/holder');
  await work.begins(1);
  return { app, limit, work, holder };
}

/** The response to a request while the only permit is held. */
export async function callWhileBusy(
  world: World,
  call: CallOptions = {},
  options: SuiteOptions = {},
  path = '/',
): Promise<Answer> {
  const { app, work, holder } = await busy(world, options);
  const answer = await app.call(path, call).answer();
  work.finishAll();
  await holder.answer();
  return answer;
}
