import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { bundle } from '@headgate/test-servers';
import { expect, onTestFinished, test } from 'vitest';

/** Milliseconds: many times the intervals at which the default limit measures the event loop. */
const FROZEN = 1_000;

test('the default limit admits the request that thaws a frozen process', async () => {
  const program = await bundle(new URL('./invoked.ts', import.meta.url));
  const args = [program, '@codegenie/serverless-express'];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  for (let i = 0; i < 3; i++) {
    child.stdin.write('\n');
    expect((await lines.next()).value).toBe('200, 0 in flight, 0 queued');
    child.kill('SIGSTOP');
    await setTimeout(FROZEN);
    child.kill('SIGCONT');
  }
});
