import { expect, it } from 'vitest';
import { eventLoopGuard } from '../../src/node/index.ts';

// Bun and Deno run this file: `npm run test:runtimes`.
it('refuses with a code, and names the runtime', () => {
  const name = process.versions.bun === undefined ? 'Deno' : 'Bun';
  expect(() => eventLoopGuard()).toThrow(
    expect.objectContaining({
      code: 'ERR_HEADGATE_RUNTIME',
      message: expect.stringMatching(`^${name} does not measure its event loop`),
    }),
  );
});
