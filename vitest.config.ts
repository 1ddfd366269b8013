import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// Tests run from the sources: nothing needs to be built first.
const conditions = ['headgate-source', 'module', 'node', 'development|production'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: ['headgate-source', 'node'] } },
  test: {
    include: [
      'packages/*/{src,test}/**/*.test.ts',
      'demo/**/*.test.ts',
      'bench/**/*.test.ts',
      'docs/**/*.test.ts',
      'scripts/**/*.test.ts',
    ],
    // Many only wait for a lease or a server: two at a time also where there are no more than two cores.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // A busy machine is no failure; what hangs still fails.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    setupFiles: ['./scripts/unexpected-output.ts'],
    reporters: [process.stdout.isTTY ? 'default' : 'dot', './scripts/closing-line.ts'],
    coverage: {
      provider: 'v8',
      include: ['packages/core/src/**/*.ts'],
      exclude: ['**/*.test.ts'],
      reporter: ['text', 'html'],
      thresholds: { branches: 98 },
    },
  },
});
