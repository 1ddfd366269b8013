import { expect, test, vi } from 'vitest';
import { runTry } from './command.ts';

test('the run of the bundled server fails if the hook limits nothing', {
  timeout: 120_000,
}, async () => {
  // Says what the hook says, and does nothing.
  vi.stubEnv('TEST_HOOK', '--import data:text/javascript,console.error(`headgate:%20limits`)');
  const { code, stdout } = await runTry('--quick', '--json');
  vi.unstubAllEnvs();
  const { sentence } = JSON.parse(stdout);
  // Other programs may keep the run from showing that.
  const isBusy = /late|could not keep up|not steady|before the spike, at half/.test(sentence);
  if (!isBusy) expect(sentence).toMatch(/the hook makes no difference/);
  expect(code, sentence).toBe(isBusy ? 0 : 1);
});
