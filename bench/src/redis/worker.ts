import { connect } from './connect.ts';
import type { Setting } from './contenders/contender.ts';
import { open } from './contenders.ts';
import type { Request, Response } from './protocol.ts';
import { Tasks } from './tasks.ts';

const setting = JSON.parse(process.argv[2] ?? '') as Setting;
const tasks = new Tasks(await open(setting), await connect(setting.port));
const answer = (response: Response) => process.send?.(response);

process.on('message', async ({ id, task, argument }: Request) => {
  const run = tasks[task] as (argument: unknown) => unknown;
  try {
    answer({ id, result: await run.call(tasks, argument) });
  } catch (error) {
    answer({ id, error: (error as Error).message });
  }
});
process.on('disconnect', () => process.exit());
answer({ id: 0, result: undefined });
