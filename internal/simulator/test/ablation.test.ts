import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { adaptiveMechanisms } from '../src/ablation/adaptive-mechanisms.ts';
import { mechanisms } from '../src/ablation/mechanisms.ts';

const core = resolve(import.meta.dirname, '../../../packages/core/src');

test.each([...mechanisms, ...adaptiveMechanisms])(
  'the code of the mechanism "$name" can be replaced',
  ({ file, on }) => {
    expect(readFileSync(resolve(core, file), 'utf8').split(on)).toHaveLength(2);
  },
);
