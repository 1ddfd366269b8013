import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { usage } from '../src/options.ts';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

function run(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const nodeArgs = ['--import=tsx', '--conditions=headgate-source', main, ...args];
    const child = execFile(process.execPath, nodeArgs, (_, stdout, stderr) => {
      resolve({ code: child.exitCode ?? -1, stdout, stderr });
    });
  });
}

test('--help shows the options', async () => {
  expect(await run('--help')).toEqual({ code: 0, stdout: `${usage}\n`, stderr: '' });
});

test.each(['--fast', 'fast'])(
  'the argument %s is refused, and the options are shown',
  async (argument) => {
    const { code, stdout, stderr } = await run(argument);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(argument);
    expect(stderr).toContain(usage);
  },
);
