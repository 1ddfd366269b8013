import { defineConfig } from 'vitest/config';
import base from '../../vitest.config.ts';
import { root } from './pages.ts';

const { projects: _, ...test } = base.test ?? {};

/** npm run docs -- site-check: the tests of the built site. */
export default defineConfig({
  ...base,
  root,
  test: { ...test, include: ['docs/site/test/*.test.ts'], exclude: [] },
});
