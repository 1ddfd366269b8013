import { compare } from '../src/model/compare.ts';
import type { Figures } from '../src/model/figures.ts';
import type { Settings } from '../src/settings.ts';
import { settingsWith } from './settings.ts';

export interface Result {
  readonly bare: Figures;
  readonly fixed: Figures;
  readonly adaptive: Figures;
}

/** Simulates the three servers with these changes of the initial settings. */
export function run(changed: Partial<Settings>): Result {
  const steps = compare(settingsWith(changed));
  for (;;) {
    const { done, value } = steps.next();
    if (done) return { bare: value[0], fixed: value[1], adaptive: value[2] } as Result;
  }
}

export const mean = (values: readonly number[]) =>
  values.reduce((sum, each) => sum + each) / values.length;
