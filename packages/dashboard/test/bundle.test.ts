import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '@headgate/test-kit/temporary-folder';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

it('in a bundle of a single file, the dashboard throws an error that says what to do', async () => {
  const outfile = join(temporaryFolder(), 'app.mjs');
  const contents = `
    import { dashboard } from '../src/node.ts';
    try { dashboard({ path: '/limits', limits: [] }); } catch (error) { console.log(error.code, error.message); }
  `;
  await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    ...{ bundle: true, platform: 'node', format: 'esm', outfile },
    conditions: ['headgate-source'],
  });
  const { stdout } = await promisify(execFile)(process.execPath, [outfile]);
  expect(stdout).toMatch(/^ERR_HEADGATE_RUNTIME .*exclude @headgate\/dashboard from the bundle/);
});
