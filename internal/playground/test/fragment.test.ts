import { assert, constantFrom, oneof, property, string, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fragmentOf, settingsOf } from '../src/fragment.ts';
import { isInRange } from '../src/ranges.ts';
import { choiceNames, choices, initialSettings, rangeNames, ranges } from '../src/settings.ts';
import { anySettings, settingsWith } from './settings.ts';

describe('the fragment of the URL', () => {
  it('restores any settings', () => {
    assert(
      property(anySettings, (settings) => {
        // Read as a browser does, which encodes the fragment.
        const { hash } = new URL(`http://localhost/${fragmentOf(settings)}`);
        expect(settingsOf(hash)).toEqual(settings);
      }),
    );
  });

  it('contains only what was changed', () => {
    expect(fragmentOf(initialSettings)).toBe('');
    expect(fragmentOf(settingsWith({ load: 5, order: 'fair' }))).toBe(
      '#playground?load=5&order=fair',
    );
  });

  it.each(['', '#'])('without content (%j) restores the initial settings', (fragment) => {
    expect(settingsOf(fragment)).toEqual(initialSettings);
  });

  it.each(['#features', '#playground', '#load=5', '#%E0%A4%A', '#playground!load=5'])(
    'is ignored if it is an anchor of the page: %s',
    (fragment) => {
      expect(settingsOf(fragment)).toBeUndefined();
    },
  );

  it.each([
    'load=',
    'load=abc',
    'load=NaN',
    'load=Infinity',
    'load=-1',
    'load=1e1',
    'load=0x5',
    'load=11',
    'load=0.55',
    'load=%E0%A4%A',
    'capacity=2.5',
    'capacity=0',
    'order=random',
    'order=toString',
    'order=__proto__',
    '__proto__=5',
    'unknown=5',
    '&&==&',
  ])('ignores a value that is not allowed: %s', (field) => {
    expect(settingsOf(`#playground?${field}`)).toEqual(initialSettings);
    expect(settingsOf(`#playground?${field}&retries=3`)).toEqual(settingsWith({ retries: 3 }));
  });

  it('yields allowed settings, whatever it contains', () => {
    const names = constantFrom(...rangeNames, ...choiceNames, '__proto__');
    const field = tuple(names, oneof(string(), constantFrom('5', '0.1', 'fair', 'none')));
    const fields = tuple(field, field, field).map((all) => all.map((each) => each.join('=')));
    assert(
      property(
        oneof(
          string(),
          fields.map((all) => all.join('&')),
        ),
        (text) => {
          const settings = settingsOf(`#playground?${text}`);
          expect(Object.keys(settings ?? {})).toEqual(Object.keys(initialSettings));
          for (const name of rangeNames) {
            expect(isInRange(settings?.[name] as number, ranges[name])).toBe(true);
          }
          for (const name of choiceNames) {
            expect(Object.keys(choices[name].options)).toContain(settings?.[name]);
          }
        },
      ),
    );
  });
});
