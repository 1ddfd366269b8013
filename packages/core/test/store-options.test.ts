import { checkTimes } from '@headgate/store-kit';
import { memoryStore } from '@headgate/store-kit/memory-store';
import { describe, expect, it } from 'vitest';
import { checkToken } from '../src/options.ts';

describe('checkTimes', () => {
  it('returns a lease of ten seconds and a timeout of one second by default', () => {
    expect(checkTimes({})).toEqual({ leaseDuration: 10_000, timeout: 1000 });
  });

  it('derives the timeout from a short lease, unless it is given', () => {
    expect(checkTimes({ leaseDuration: 1500 })).toEqual({ leaseDuration: 1500, timeout: 500 });
    expect(checkTimes({ leaseDuration: 1500, timeout: 200 }).timeout).toBe(200);
  });

  it.each([0, 1, Number.POSITIVE_INFINITY])('refuses a lease of %s ms', (leaseDuration) => {
    const error = { code: 'ERR_HEADGATE_OPTION', option: 'leaseDuration' };
    expect(() => checkTimes({ leaseDuration })).toThrow(expect.objectContaining(error));
  });
});

describe('a store', () => {
  it('neither hands off nor reserves by default', () => {
    expect(memoryStore()).toMatchObject({ handoff: 0, reserve: 0 });
  });

  it('hands off and reserves as its options say', () => {
    const saving = { handoff: 100, reserve: 2 };
    expect(memoryStore(saving)).toMatchObject(saving);
  });

  it.each([
    ['handoff', { handoff: 1.5 }],
    ['handoff', { handoff: 101 }],
    ['handoff', { handoff: '1' as never }],
    ['reserve', { reserve: -1 }],
    ['reserve', { reserve: Infinity }],
  ])('refuses an invalid %s', (option, options) => {
    const error = { code: 'ERR_HEADGATE_OPTION', option };
    expect(() => memoryStore(options)).toThrow(expect.objectContaining(error));
  });
});

describe('checkToken', () => {
  it('accepts a token, and a missing token', () => {
    expect(checkToken('token', 'abc-._~+/1==')).toBe('abc-._~+/1==');
    expect(checkToken('token', undefined)).toBeUndefined();
  });

  it.each(['two words', '', 7])('refuses %j without showing it', (token) => {
    const error = { code: 'ERR_HEADGATE_OPTION', option: 'token' };
    expect(() => checkToken('token', token)).toThrow(expect.objectContaining(error));
    expect(() => checkToken('token', token)).toThrow(/^(?!.*two words)/);
  });
});
