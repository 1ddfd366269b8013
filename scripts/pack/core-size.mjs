import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const MAX_FILES = 120;
const MAX_KB = 800;

/** It shows the sizes. */
const PAGE = 'docs/lab/runtimes.md';

/**
 * Every application with Headgate installs the core.
 *
 * @throws Error if the packed core is too large, or not as large as its page says.
 */
export function checkCoreSize(tarball) {
  const list = execFileSync('tar', ['-tzvf', tarball], { encoding: 'utf8' }).trim().split('\n');
  const kb = list.reduce((sum, line) => sum + Number(line.split(/\s+/)[2]), 0) / 1000;
  console.log(`@headgate/core: ${list.length} files, ${kb.toFixed(0)} kB unpacked`);
  if (list.length > MAX_FILES || kb > MAX_KB)
    throw new Error(`allowed are ${MAX_FILES} files and ${MAX_KB} kB`);
  const [, shown] =
    /^\| @headgate\/core \| \d+ \| (\d+) \|$/m.exec(readFileSync(PAGE, 'utf8')) ?? [];
  if (!(Math.abs(Number(shown) / kb - 1) < 0.1))
    throw new Error(`${PAGE} says ${shown} kB: run \`npm run compat -- runtimes --write\``);
}
