import { onWorkers } from '@headgate/core';
import { collectWarnings } from '@headgate/test-suite/kit';
import { expect, it, onTestFinished, vi } from 'vitest';

it('onWorkers() recognizes Cloudflare Workers by navigator.userAgent', () => {
  onTestFinished(() => void vi.unstubAllGlobals());
  expect(onWorkers()).toBe(false);
  vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' });
  expect(onWorkers()).toBe(true);
});

it.each([
  ['18.20.8', undefined, 1],
  ['20.19.0', () => undefined, 0],
  [undefined, undefined, 0],
])(
  'with Node %s, the core warns about an old Node when it is imported: %#',
  async (node, getBuiltinModule, count) => {
    const warnings = collectWarnings('HEADGATE_NODE_VERSION');
    const { emitWarning } = process;
    onTestFinished(() => void vi.unstubAllGlobals());
    vi.stubGlobal('process', { versions: { node }, getBuiltinModule, emitWarning });
    vi.resetModules();
    await import('../src/runtime.ts');
    expect(warnings).toEqual(Array(count).fill(expect.stringMatching(/Node 18.*20\.19/)));
  },
);
