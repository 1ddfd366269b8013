import { describe, expect, test } from 'vitest';
import { rateOf } from '../src/capacity.ts';
import { protect } from '../src/protection.ts';

describe('protect', () => {
  test('limits to the number of threads and cores', () => {
    expect(protect(20, 4, 2).limit).toBe(2);
    expect(protect(80, 4, 16).limit).toBe(4);
  });
  test('queues for 0.3 s, and at least one request', () => {
    expect(protect(40, 4, 2).queueLimit).toBe(12);
    expect(protect(1, 4, 2).queueLimit).toBe(1);
  });
});

describe('rateOf', () => {
  test('counts the gaps between answers', () => expect(rateOf([0, 100, 200, 300])).toBe(10));
  test('throws for too few answers', () => {
    expect(() => rateOf([])).toThrow('too few');
    expect(() => rateOf([5])).toThrow('too few');
  });
});
