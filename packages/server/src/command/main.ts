import { ending } from './ending.ts';

// Nothing else is imported statically: signals must be listened for before that is loaded.
const { run } = await import('./run.ts');
process.exitCode = await run(process.argv, ending);
