import { onWorkers } from '@headgate/core';
import { expect, it, onTestFinished, vi } from 'vitest';

it('onWorkers() recognizes Cloudflare Workers by navigator.userAgent', () => {
  onTestFinished(() => void vi.unstubAllGlobals());
  expect(onWorkers()).toBe(false);
  vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' });
  expect(onWorkers()).toBe(true);
});
