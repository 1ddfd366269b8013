import { configDefaults, defineConfig } from 'vitest/config';
import base, { long } from './vitest.config.ts';

const { projects: _, ...test } = base.test ?? {};

/** The tests that take too long for `npm test`. */
export default defineConfig({
  ...base,
  test: {
    ...test,
    include: long,
    exclude: configDefaults.exclude,
  },
});
