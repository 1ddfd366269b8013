import { signals } from './command/signals.ts';

// All other modules are imported dynamically, so that the signal handlers are registered first.
const { run } = await import('./command/run.ts');
process.exitCode = await run(process.argv, signals);
