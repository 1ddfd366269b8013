const src = 'packages/core/src';

/** What `npm run test:mutation` mutates, one part after the other: scripts/mutation.mjs names one in the environment. */
export const parts = {
  limiter: `${src}/{limiter,queues,semaphore}/**/*.ts`,
  gate: `${src}/gate/**/*.ts`,
  limits: `${src}/limits/**/*.ts`,
  http: `${src}/http/**/*.ts`,
  common: `${src}/*.ts`,
  'store-kit': 'packages/store-kit/src/**/*.ts',
};

/** A lower score fails the run. A part without a minimum has not been measured yet (CONTRIBUTING.md). */
const floors = { limiter: 85, gate: 88, limits: 53, common: 86 };

const part = process.env.HEADGATE_MUTATED ?? 'limiter';

export default {
  mutate: [parts[part]],
  // Stryker finds plugins by itself in npm's folders only, not in pnpm's.
  plugins: ['@stryker-mutator/vitest-runner'],
  testRunner: 'vitest',
  vitest: { configFile: 'vitest.mutation.config.ts', related: false },
  coverageAnalysis: 'perTest',
  // A mutant that runs while a module is loaded would need every test, each of which loads its modules again.
  ignoreStatic: true,
  // Texts of messages, and names that the compiler checks.
  mutator: { excludedMutations: ['StringLiteral'] },
  ignorePatterns: ['dist', 'out', 'coverage'],
  // Beyond one and a half times what its tests take: a mutant may loop forever.
  timeoutMS: 1_000,
  thresholds: { high: 90, low: 80, break: floors[part] ?? null },
  tempDirName: 'out/stryker',
  reporters: ['clear-text', 'progress-append-only', 'json', 'html'],
  clearTextReporter: { logTests: false, reportTests: false },
  jsonReporter: { fileName: `out/mutation/${part}.json` },
  htmlReporter: { fileName: `out/mutation/${part}.html` },
};
