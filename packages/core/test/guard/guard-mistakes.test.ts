import { expect, it } from 'vitest';
import { createGate } from '../../src/index.ts';
import { guarded } from './recording-guard.ts';

it.each([
  ['guard', { guard: 5 }],
  ['guard', { guard: { name: 'sentry' } }],
  ['guard', { guard: null }],
  ['guard.name', { guard: { admits: () => true } }],
  ['limits', { limits: [], guard: undefined }],
])('throws for an invalid %s', (option, options) => {
  const error = { code: 'ERR_HEADGATE_OPTION', option };
  expect(() => guarded(options as never)).toThrow(expect.objectContaining(error));
});

it('throws for a guard with the name of a limit', () => {
  const error = { code: 'ERR_HEADGATE_DUPLICATE_NAME' };
  const limits = [{ name: 'sentry', limit: 1 }];
  expect(() => guarded({ limits })).toThrow(expect.objectContaining(error));
});

it('rejects with an error if a guard returns a promise, which would admit every request', async () => {
  const guard = { name: 'slow', admits: async () => false };
  const gate = createGate({ guard: guard as never, limits: [{ name: 'app', limit: 1 }] });
  const error = { code: 'ERR_HEADGATE_OPTION', option: 'guard.admits' };
  await expect(gate.acquire()).rejects.toMatchObject(error);
  expect(gate.inflight).toBe(0);
});
