import { expect, test } from 'vitest';
import { run } from '../../src/command.ts';
import { shortTimes } from './command.ts';

test('the run of the bundled server fails if the hook limits nothing', {
  timeout: 120_000,
}, async () => {
  let stdout = '';
  const output = { stdout: { write: (text: string) => (stdout += text) }, stderr: { write() {} } };
  // Says what the hook says, and does nothing.
  const hook = '--import data:text/javascript,console.error(`headgate:%20limits`)';
  const execArgv = ['--import=tsx', '--conditions=headgate-source'];
  const internals = { times: shortTimes, hook, execArgv };
  const code = await run(['try', '--quick', '--json'], output, internals);
  const { sentence } = JSON.parse(stdout);
  // Other programs may keep the run from showing that.
  const isBusy = /late|could not keep up|not steady|before the spike, at half/.test(sentence);
  if (!isBusy) expect(sentence).toMatch(/the hook makes no difference/);
  expect(code, sentence).toBe(isBusy ? 0 : 1);
});
