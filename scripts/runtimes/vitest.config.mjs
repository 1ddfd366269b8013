// Runs the tests of the project in which this file is copied, on the runtime that runs vitest.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const { HEADGATE_SUITES, HEADGATE_RESULTS } = process.env;
const suites = JSON.parse(HEADGATE_SUITES);
const root = import.meta.dirname;

/** The file of a package that tests use but that is not published. */
function internalFile(id) {
  const kit = /^@headgate\/test-kit\/([\w-]+)$/.exec(id);
  if (kit) return join(root, `internal/test-kit/src/${kit[1]}.ts`);
  return id === '@headgate/test-servers'
    ? join(root, 'internal/test-servers/src/index.ts')
    : undefined;
}

/** Resolves the entry points that tests import from `src` to those of the packed package, so that each module exists once. */
const packed = {
  name: 'packed',
  enforce: 'pre',
  resolveId(id, importer) {
    // Not published as an entry point.
    if (id === '@headgate/test-suite/kit')
      return join(root, 'node_modules/@headgate/test-suite/dist/kit/index.js');
    if (!id.startsWith('.') || importer === undefined) return internalFile(id);
    const source = /packages\/([\w-]+)\/src\/(.*)\.ts$/.exec(join(importer, '..', id));
    if (source === null) return undefined;
    // What scripts/unexpected-output.ts resets.
    const file = source[2] === 'warning' ? 'checks' : source[2];
    return join(root, `node_modules/@headgate/${source[1]}/dist/${file}.js`);
  },
};

/** Resolves all packages to their sources: some tests import modules that no entry point exports. */
const fromSources = {
  name: 'from-sources',
  enforce: 'pre',
  resolveId(id) {
    const [, name, entry = ''] = /^@headgate\/([\w-]+)(\/.+)?$/.exec(id) ?? [];
    if (name === undefined || internalFile(id) !== undefined) return internalFile(id);
    const folder = join(root, 'packages', name);
    const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return join(folder, exports[`.${entry}`]['headgate-source']);
  },
};

const common = {
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

const filesOf = (ofSources) =>
  suites
    .filter((suite) => (suite.ofSources ?? false) === ofSources)
    .flatMap((suite) => suite.files ?? []);

/** The files that need modules and a process of their own, and those that share a worker's. */
const projects = [
  { name: 'isolated', include: isolated, exclude, plugins: [packed] },
  ...[
    { name: 'shared', include: filesOf(false), plugins: [packed] },
    { name: 'sources', include: filesOf(true), plugins: [fromSources] },
  ].map((project) => ({ ...project, isolate: false, exclude: [...exclude, ...isolated] })),
].filter(({ include }) => include.length > 0);

export default defineConfig({
  root,
  test: {
    maxWorkers: 3,
    reporters: [['./results.mjs', { file: HEADGATE_RESULTS }]],
    projects: projects.map(({ plugins, ...test }) => ({
      plugins,
      test: { ...common.test, ...test },
    })),
  },
});
