import { configDefaults, defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

/** The tests that take too long for `npm test`. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    projects: undefined,
    include: ['packages/*/test/**/*.long.test.ts'],
    exclude: configDefaults.exclude,
  },
});
