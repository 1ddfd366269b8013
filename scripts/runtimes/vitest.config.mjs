// Runs the tests of the project in which this file is copied, on the runtime that runs vitest.
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const { HEADGATE_SUITES, HEADGATE_RESULTS } = process.env;
const suites = JSON.parse(HEADGATE_SUITES);
const root = import.meta.dirname;

/** Resolves what tests import from `src` to the same file of the packed package, so that each module exists once. */
const packed = {
  name: 'packed',
  enforce: 'pre',
  resolveId(id, importer) {
    const kit = /^@headgate\/test-kit\/([\w-]+)$/.exec(id);
    if (kit) return join(root, `internal/test-kit/src/${kit[1]}.ts`);
    if (id === '@headgate/test-suite/kit') {
      // Not published as an entry point.
      return join(root, 'node_modules/@headgate/test-suite/dist/kit/index.js');
    }
    if (id === '@headgate/test-servers') return join(root, 'internal/test-servers/src/index.ts');
    if (!id.startsWith('.') || importer === undefined) return undefined;
    const source = /packages\/([\w-]+)\/src\/(.*)\.ts$/.exec(join(importer, '..', id));
    return source && join(root, `node_modules/@headgate/${source[1]}/dist/${source[2]}.js`);
  },
};

const common = {
  plugins: [packed],
  test: {
    // Another process may use the processor for longer than a request may wait.
    retry: 1,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    setupFiles: ['./scripts/unexpected-output.ts'],
  },
};

const exclude = ['**/node_modules/**', ...suites.flatMap(({ except = [] }) => except)];
const isolated = suites.flatMap((suite) => suite.isolated ?? []);

/** The files that need modules and a process of their own, and those that share a worker's. */
const projects = [
  { name: 'isolated', include: isolated, exclude },
  {
    ...{ name: 'shared', isolate: false },
    ...{ include: suites.flatMap(({ files = [] }) => files), exclude: [...exclude, ...isolated] },
  },
].filter(({ include }) => include.length > 0);

export default defineConfig({
  root,
  test: {
    maxWorkers: 3,
    reporters: [['./results.mjs', { file: HEADGATE_RESULTS }]],
    projects: projects.map((test) => ({ ...common, test: { ...common.test, ...test } })),
  },
});
