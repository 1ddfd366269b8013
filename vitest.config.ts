import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { traceCalls } from './scripts/trace-calls.ts';

// Tests run from the sources: nothing needs to be built first.
// Not `module`: workers apply it to packages that Node itself loads, for which that build of OpenTelemetry's API is not meant.
const conditions = ['headgate-source', 'node', 'development|production'];

const include = [
  '{packages,internal}/*/{src,test}/**/*.test.ts',
  'bench/**/*.test.ts',
  'docs/**/*.test.ts',
  'scripts/**/*.test.ts',
];

/** What only `npm run test:long` runs: processes that are killed, Workers, browsers, and other versions of frameworks. */
export const long = [
  '{packages,internal}/*/test/**/*.long.test.ts',
  '{docs,scripts}/test/**/*.long.test.ts',
  'packages/*/test/{processes,chaos,workers,ui}/**/*.test.ts',
];

/** The tests of the built site, which `npm run docs -- site-check` runs. */
const site = 'docs/site/test/**/*.test.ts';

/** They trace the calls within the sources. */
const walk = 'bench/test/walk/**/*.test.ts';

const exclude = [...configDefaults.exclude, ...long, site];

/** Files that need modules and a process of their own: all others share those of their worker. */
const isolated = [
  'packages/{redis,postgres}/test/**/*.test.ts',
  // They import modules again, replace globals or methods for them, and measure the heap.
  'packages/store-kit/test/odd-stores.test.ts',
  'packages/core/test/{runtime,two-copies}.test.ts',
  'packages/opentelemetry/test/store-clients.test.ts',
  'packages/server/test/state/day.test.ts',
  'packages/server/test/unread.test.ts',
  // The core examines only the first thousand limits of a process for mistakes.
  'packages/express/test/warned-mistakes.test.ts',
  // light-my-request replaces the prototypes of Express.
  'packages/express/test/hosts.test.ts',
  // The tests of Hono replace Request and Response.
  'packages/web/test/**/*.test.ts',
];

/** Used by the root and by each project: if a project inherited maxWorkers, the command line could not override it. */
const common = {
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: ['headgate-source', 'node'] } },
};

const setup = {
  // A busy machine does not cause failures, but a test that hangs still fails.
  testTimeout: 30_000,
  hookTimeout: 30_000,
  setupFiles: ['./scripts/unexpected-output.ts'],
};

export default defineConfig({
  ...common,
  test: {
    ...setup,
    // Most files mainly wait: for leases, for servers, for other processes.
    maxWorkers: availableParallelism() + 1,
    // They run in the order of their names: the files that take longest come first.
    projects: [
      { ...common, test: { name: 'isolated', ...setup, include: isolated, exclude } },
      {
        ...common,
        test: {
          ...{ name: 'shared', ...setup, isolate: false },
          ...{ include, exclude: [...exclude, ...isolated, walk] },
        },
      },
      {
        ...common,
        plugins: [traceCalls(import.meta.dirname, ['core', 'express', 'store-kit', 'redis'])],
        test: { name: 'walk', ...setup, include: [walk], exclude },
      },
    ],
    reporters: [process.stdout.isTTY ? 'default' : 'dot', './scripts/closing-line.ts'],
    coverage: {
      provider: 'v8',
      include: ['packages/{core,store-kit}/src/**/*.ts'],
      exclude: ['**/*.test.ts'],
      reporter: ['text', 'html'],
      thresholds: { branches: 98 },
    },
  },
});
