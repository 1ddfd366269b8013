import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@headgate/test-kit/temporary-folder';
import { expect, it } from 'vitest';
import { bundleCode } from '../bundle.mjs';

const main = `import { createLimiter } from './index.js';
try {
  createLimiter({ limit: 1.5 });
} catch (error) {
  console.log(error.stack);
}`;

interface Frame {
  readonly callee: string;
  readonly file: string;
  readonly line: number;
}

/** The frames of a stack trace that are in the sources of the core. */
function framesIn(stack: string): Frame[] {
  const frames = stack.matchAll(/at (?:new )?([\w.]+) \((.*core\/src\/.*\.ts):(\d+):\d+\)/g);
  return [...frames].map(([, callee = '', file = '', line]) => ({
    callee,
    file,
    line: Number(line),
  }));
}

it('source maps lead from each frame of a stack trace to its line in the sources', async () => {
  const folder = temporaryFolder();
  await bundleCode('packages/core', ['index'], 'es', folder);
  writeFileSync(join(folder, 'main.mjs'), main);
  const args = ['--enable-source-maps', join(folder, 'main.mjs')];
  const frames = framesIn(execFileSync(process.execPath, args, { encoding: 'utf8' }));
  expect(frames.length).toBeGreaterThan(2);
  // The line of a frame calls the function of the frame above it; that of the first one creates the error.
  for (const [index, { file, line }] of frames.entries()) {
    const text = readFileSync(file, 'utf8').split('\n')[line - 1];
    expect(text).toContain(`${frames[index - 1]?.callee ?? 'HeadgateError'}(`);
  }
});
