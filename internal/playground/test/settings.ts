import { type Arbitrary, constantFrom, integer, record } from 'fast-check';
import {
  type ChoiceName,
  choiceNames,
  choices,
  initialSettings,
  type RangeName,
  rangeNames,
  ranges,
  type Settings,
} from '../src/settings.ts';

function numberOf(name: RangeName): Arbitrary<number> {
  const { min, max, step } = ranges[name];
  const steps = Math.round((max - min) / step);
  // As a slider computes it: with the decimals of the step.
  return integer({ min: 0, max: steps }).map((count) => Number((min + count * step).toFixed(1)));
}

function optionOf(name: ChoiceName): Arbitrary<string> {
  return constantFrom(...Object.keys(choices[name].options));
}

/** Any settings that the controls allow. */
export const anySettings = record({
  ...Object.fromEntries(rangeNames.map((name) => [name, numberOf(name)])),
  ...Object.fromEntries(choiceNames.map((name) => [name, optionOf(name)])),
}) as unknown as Arbitrary<Settings>;

export function settingsWith(changed: Partial<Settings>): Settings {
  return { ...initialSettings, ...changed };
}
