import { describe, expect, it } from 'vitest';
import { createGate, createLimiter } from '../src/index.ts';
import { http, keyed, limit, limiter, messageOf, shared, work } from './message-of.ts';

describe('null is refused for every option', () => {
  const ofLimiter = [
    'limit',
    'name',
    'store',
    'perKey',
    'queueLimit',
    'queueWeight',
    'queueTimeout',
  ];
  const common = ['order', 'maxHold', 'clock'];

  it.each([...ofLimiter, ...common])('createLimiter: %s', async (option) => {
    const message = `${option} must be set or omitted, got null`;
    expect(await messageOf(() => createLimiter({ limit: 1, [option]: null }))).toBe(message);
  });

  it.each(['limits', 'guard', 'name', 'mode', 'queueLimit', 'queueTimeout', ...common])(
    'createGate: %s',
    async (option) => {
      const options = { limits: [limit], [option]: null } as never;
      expect(await messageOf(() => createGate(options))).toContain(
        `${option} must be set or omitted, got null`,
      );
    },
  );

  it.each(['name', 'mode', 'key', 'skip', 'onReject', 'headers', 'fairBy', ...common])(
    'over HTTP: %s',
    async (option) => {
      const message = await messageOf(() => http({ limit: 1, [option]: null }));
      expect(message).toContain(`${option} must be set or omitted, got null`);
    },
  );

  it.each(['key', 'weight', 'limit', 'share', 'fairBy', 'priority', 'queueTimeout'])(
    'acquire and run: %s',
    async (option) => {
      for (const create of [limiter, keyed, shared]) {
        const key = create === keyed ? 'k' : undefined;
        const options = { key, [option]: null };
        for (const call of [() => create().acquire(options), () => create().run(work, options)]) {
          expect(await messageOf(call)).toMatch(
            RegExp(`^${option} must be .*got null$|is not keyed`),
          );
        }
      }
    },
  );
});
