import { signals } from './signals.ts';

// Everything else is imported dynamically, so that the signal handlers are registered before it is loaded.
const { run } = await import('./run.ts');
process.exitCode = await run(process.argv, signals);
