import { describe, expect, it } from 'vitest';
import { operatedCode, operatedCodes, operatedState } from '../src/index.ts';

const codes = [
  [0, 'open', 'enforce'],
  [1, 'paused', 'enforce'],
  [2, 'rejecting', 'enforce'],
  [4, 'open', 'shadow'],
  [5, 'paused', 'shadow'],
  [6, 'rejecting', 'shadow'],
] as const;

describe('the number that encodes how a limit is operated', () => {
  it.each(codes)('%i encodes %s, %s', (code, status, mode) => {
    const operated = { status, mode, version: '7' };
    expect(operatedCode(operated)).toBe(code);
    expect(operatedState(code, '7')).toEqual(operated);
  });

  it.each([3, 7, 8, 9, -1, 0.5, Number.NaN])('%d encodes no state', (code) => {
    expect(operatedState(code, '7')).toBeUndefined();
  });

  it('has no code for what a change does not contain', () => {
    expect(operatedCodes({})).toEqual({ status: undefined, mode: undefined });
    expect(operatedCodes({ status: 'rejecting' })).toEqual({ status: 2, mode: undefined });
    expect(operatedCodes({ mode: 'enforce' })).toEqual({ status: undefined, mode: 0 });
  });
});
