import { describe, expect, test } from 'vitest';
import { rateOf } from '../src/capacity.ts';

describe('rateOf', () => {
  test('counts the gaps between answers', () => expect(rateOf([0, 100, 200, 300])).toBe(10));
  test('throws for too few answers', () => {
    expect(() => rateOf([])).toThrow('too few');
    expect(() => rateOf([5])).toThrow('too few');
  });
});
