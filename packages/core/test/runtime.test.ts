import { onWorkers } from '@headgate/core';
import { expect, it, onTestFinished, vi } from 'vitest';

it('recognizes Cloudflare Workers by the user agent of navigator', () => {
  onTestFinished(() => void vi.unstubAllGlobals());
  expect(onWorkers()).toBe(false);
  vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' });
  expect(onWorkers()).toBe(true);
});
