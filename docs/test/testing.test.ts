import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { read, root } from './pages.ts';

/** Where a file finds the packages that the examples have. */
const folder = join(root, 'examples/node_modules/.cache');

it('docs/testing.md has a test that passes', async () => {
  const [, code = ''] = /^```ts\n(import assert.*?)^```/ms.exec(read('docs/testing.md')) ?? [];
  const file = join(folder, `testing-${process.pid}.test.ts`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, code);
  onTestFinished(() => rmSync(file));
  // Without the variable by which node:test marks a child of its own runner.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const flags = ['--conditions=headgate-source', '--import=tsx', '--test-reporter=tap'];
  const child = spawn(process.execPath, [...flags, file], { env, cwd: join(root, 'examples') });
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  expect(stdout, stderr).toMatch(/^# pass 1$/m);
  expect(exitCode).toBe(0);
});
