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

it('createGate() throws for a guard that has the name of a limit', () => {
  const error = { code: 'ERR_HEADGATE_DUPLICATE_NAME' };
  const limits = [{ name: 'sentry', limit: 1 }];
  expect(() => guarded({ limits })).toThrow(expect.objectContaining(error));
});

it('acquire() rejects with an error if the guard returns a promise', async () => {
  const guard = { name: 'slow', admits: async () => false };
  const gate = createGate({ guard: guard as never, limits: [{ name: 'app', limit: 1 }] });
  const error = { code: 'ERR_HEADGATE_OPTION', option: 'guard.admits' };
  await expect(gate.acquire()).rejects.toMatchObject(error);
  expect(gate.holders).toBe(0);
});
