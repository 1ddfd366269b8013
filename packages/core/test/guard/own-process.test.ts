import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

it('does not keep a process alive', () => {
  const index = resolve(import.meta.dirname, '../../src/node/index.ts');
  const script = `
    import { eventLoopGuard } from ${JSON.stringify(index)};
    eventLoopGuard().admits('normal');`;
  const args = ['--import', 'tsx', '--input-type=module', '--eval', script];
  const { status, signal, stderr } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    timeout: 20_000,
  });
  expect({ status, signal, stderr }).toEqual({ status: 0, signal: null, stderr: '' });
});
