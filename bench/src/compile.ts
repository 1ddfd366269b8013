import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * What measures is compiled by tsc: a loader that transforms on the fly wraps every closure it
 * meets to keep its name, and that would be measured too.
 */
export function compile(): void {
  const tsc = createRequire(import.meta.url).resolve('typescript/lib/tsc.js');
  const project = fileURLToPath(new URL('..', import.meta.url));
  execFileSync(process.execPath, [tsc, '-p', project], { stdio: 'inherit' });
}
