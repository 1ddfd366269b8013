import type { Request, Response } from './protocol.ts';
import type { Tasks } from './tasks.ts';

/** The settings passed by the parent process. */
export function settingOfParent<S>(): S {
  return JSON.parse(process.argv[2] ?? '');
}

/** Runs the parent's tasks until the parent disconnects. */
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
