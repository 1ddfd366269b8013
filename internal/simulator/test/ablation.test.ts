import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { mechanisms } from '../src/ablation/mechanisms.ts';

const core = resolve(import.meta.dirname, '../../../packages/core/src');

test.each(mechanisms)('the code of the mechanism "$name" can be replaced', ({ file, on }) => {
  expect(readFileSync(resolve(core, file), 'utf8').split(on)).toHaveLength(2);
});
