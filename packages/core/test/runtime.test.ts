import { onWorkers } from '@headgate/core';
import { expect, it, vi } from 'vitest';

it('recognizes Cloudflare Workers by the user agent of navigator', () => {
  expect(onWorkers()).toBe(false);
  vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' });
  expect(onWorkers()).toBe(true);
  vi.unstubAllGlobals();
});
