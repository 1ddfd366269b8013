import { describe, expect, it } from 'vitest';
import { settingsOf } from '../src/fragment.ts';
import { linkTo, type Preset, presetOf, presets, settingsOfPreset } from '../src/presets.ts';
import { mean, run } from './results.ts';
import { settingsWith } from './settings.ts';

const resultsOf = (name: string) =>
  run(presets.find((preset) => preset.name === name)?.changed ?? {});

describe('a preset', () => {
  it.each(presets)('has a link that restores its settings: $name', (preset: Preset) => {
    expect(settingsOf(linkTo(preset))).toEqual(settingsOfPreset(preset));
  });

  it.each(presets)('is found by its settings, whichever code is shown: $name', (preset: Preset) => {
    expect(presetOf({ ...settingsOfPreset(preset), limit: 'none' })).toBe(preset);
  });

  it('is not found for other settings', () => {
    expect(presetOf(settingsWith({ load: 5 }))).toBeUndefined();
  });
});

describe('what a preset says is true', () => {
  it('Spike: only the bare server does not recover, and both limits answer as many calls', () => {
    const { bare, fixed, adaptive } = resultsOf('Spike');
    expect(mean(bare.perSecond.slice(10))).toBeLessThan(5);
    expect(mean(fixed.perSecond.slice(10))).toBeGreaterThan(80);
    expect(Math.abs(fixed.answered - adaptive.answered)).toBeLessThan(2);
  });

  it('Wrong number: the fixed limit answers no more calls than the bare server, the default limit does', () => {
    const { bare, fixed, adaptive } = resultsOf('Wrong number');
    expect(fixed.answered).toBeLessThan(bare.answered + 1);
    expect(fixed.p50).toBeGreaterThan(1000);
    expect(adaptive.answered).toBeGreaterThan(80);
  });

  it('Short timeout: the default limit lets requests wait for 0.25 s, and the fixed limit is better', () => {
    const { fixed, adaptive } = resultsOf('Short timeout');
    expect(adaptive.rejectedAfter).toBeCloseTo(250, -1);
    expect(adaptive.answered).toBeLessThan(30);
    expect(fixed.answered).toBeGreaterThan(80);
  });
});
