import type { Request, Response } from './protocol.ts';
import type { Tasks } from './tasks.ts';

/** A message of the parent. */
export function settingOfParent<S>(): S {
  return JSON.parse(process.argv[2] ?? '');
}

/** Executes the parent's requests until the parent ends. */
export function serve(tasks: Tasks): void {
  const answer = (response: Response) => process.send?.(response);
  process.on('message', async ({ id, task, argument }: Request) => {
    const run = tasks[task as keyof Tasks] as (argument: unknown) => unknown;
    try {
      answer({ id, result: await run.call(tasks, argument) });
    } catch (error) {
      answer({ id, error: (error as Error).message });
    }
  });
  process.on('disconnect', () => process.exit());
  answer({ id: 0, result: undefined });
}
