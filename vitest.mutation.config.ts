import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

const { projects: _, ...test } = base.test ?? {};

/** Tests of a part of the core that are in other folders. */
const further: Record<string, readonly string[]> = {
  http: ['packages/hono/test/hono-4.test.ts'],
  'store-kit': [
    'packages/store-kit/test/**/*.test.ts',
    'packages/test-suite/test/memory-store.test.ts',
  ],
};

/** Stryker copies the packages, but the links between them lead to the originals. */
const alias = ['core', 'store-kit'].flatMap((name) => {
  const folder = new URL(`packages/${name}/`, import.meta.url);
  const { exports } = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8'));
  return Object.keys(exports).map((path) => ({
    find: new RegExp(`^@headgate/${name}${path.slice(1)}$`),
    replacement: fileURLToPath(new URL(exports[path]['headgate-source'], folder)),
  }));
});

/** The tests that are fast and run the same examples each time, for mutants of the core (stryker.config.mjs). */
export default defineConfig({
  ...base,
  resolve: { ...base.resolve, alias },
  test: {
    ...test,
    include: [
      'packages/core/test/**/*.test.ts',
      ...(further[process.env.HEADGATE_MUTATED ?? ''] ?? []),
    ],
    // They take seconds, which is too much for thousands of mutants.
    exclude: ['**/costs.test.ts', '**/shadow-memory.test.ts', '**/utilisation.property.test.ts'],
    isolate: false,
    env: { HEADGATE_PROPERTY_RUNS: '60' },
    reporters: [],
    setupFiles: ['./scripts/fixed-seed.ts', './scripts/unexpected-output.ts'],
    testTimeout: 3_000,
  },
});
