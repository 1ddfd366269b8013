import { memoryStore } from '@headgate/store-kit/memory-store';
import { expect } from 'vitest';
import { HttpGate } from '../src/http/http-gate.ts';
import { createLimiter } from '../src/index.ts';

// What the tests of error messages make mistakes with.

export const limit = { name: 'one', limit: 2 };
export const limiter = () => createLimiter({ ...limit, queueLimit: 9 });
export const shared = () => createLimiter({ ...limit, queueLimit: 9, store: memoryStore() });
export const keyed = () => createLimiter({ limit: 1, perKey: true });
export const work = () => 1;

const framework = { compile: () => () => true } as never;

/** What a middleware does with its options. */
export const http = (options: unknown) => new HttpGate(options as never, framework);

/** What the mistake causes: thrown, or the reason of a rejected promise. */
export async function messageOf(mistake: () => unknown): Promise<string> {
  try {
    await mistake();
  } catch (error) {
    expect(error).toMatchObject({ name: 'HeadgateError' });
    return (error as Error).message;
  }
  return expect.unreachable('was accepted');
}
