import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'vitest';
import { bundle } from '../bundle.ts';

/** Runs a program that must end without help, and without a message or an error. */
export async function runToEnd(program: URL, ...args: string[]): Promise<void> {
  const child = spawn(process.execPath, [await bundle(program), ...args], {
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  const timer = setTimeout(() => child.kill(), 20_000);
  const [code, signal] = await once(child, 'exit');
  clearTimeout(timer);
  expect({ code, signal, said }).toEqual({ code: 0, signal: null, said: '' });
}
