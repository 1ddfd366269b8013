import { invalid } from '@headgate/core/options';
import { readingsOf } from '../framework.ts';

/**
 * Tests whether a request's target matches a pattern: a path, or the beginning of one followed by `*`. It matches if each
 * reading of the target does, so that `/assets/../reports` does not bypass the limit for being below `/assets/`.
 */
export type MatchesPath = (target: string) => boolean;

/** @throws HeadgateError for a pattern that is not a path. */
export function pathPattern(option: string, pattern: unknown): MatchesPath {
  if (typeof pattern !== 'string' || !/^\/[^*?#]*\*?$/.test(pattern))
    throw invalid(
      option,
      'a path such as /health, or the beginning of paths such as /assets/*',
      pattern,
    );
  const start = pattern.slice(0, -1);
  const matches = pattern.endsWith('*')
    ? (path: string) => path.startsWith(start)
    : (path: string) => path === pattern;
  return (target) => readingsOf(target).every(matches);
}
