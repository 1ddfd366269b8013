import { expect, it } from 'vitest';
import { nextVersion } from '../../release/next-version.mjs';

it.each([
  ['0.1.0', ['patch'], '0.1.1'],
  ['0.1.7', ['patch', 'minor'], '0.2.0'],
  ['0.2.3', ['major', 'minor'], '1.0.0'],
  ['1.9.9', ['minor'], '1.10.0'],
])(
  'after %s, notes of %j lead to version %s, also of packages with peers',
  (version, types, next) => {
    expect(nextVersion(version, types)).toBe(next);
  },
);
