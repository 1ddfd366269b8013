import { existsSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runTry } from './command.ts';

// Longer on a busy machine.
test('the bundled server is measured with and without the hook', { timeout: 120_000 }, async () => {
  const { code, stdout, stderr } = await runTry('--quick', '--json');
  expect(stderr).toMatch(/^1\/2 as it is\n(2\/2 with the hook\n)?$/);
  const { verdict, sentence, figures, report } = JSON.parse(stdout);
  expect(code, sentence).toBe(0);
  // On a busy machine, the run may show nothing.
  if (verdict === 'shows nothing') return expect(sentence).toMatch(/^This run shows nothing: /);
  const [bare, hooked] = figures;
  expect(verdict).toBe('helps');
  expect(hooked.afterwards).toBeGreaterThan(bare.afterwards);
  expect(hooked.rejected).toBeGreaterThan(0);
  expect(existsSync(report)).toBe(true);
  rmSync(report);
});
