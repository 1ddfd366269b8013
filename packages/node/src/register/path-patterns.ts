import { decodedPath } from '@headgate/core/http';
import { invalid } from '@headgate/core/options';
import { readingsOf } from '../framework.ts';

/**
 * Tests whether a request's target matches a pattern: a path, or the beginning of one followed by `*`. It matches if each
 * reading of the target does, so that `/assets/../reports` does not bypass the limit for being below `/assets/`.
 * The pattern may be decoded or encoded: a reading of the target may be, too.
 */
export type MatchesPath = (target: string) => boolean;

/** @throws HeadgateError for a pattern that is not a path. */
export function pathPattern(option: string, pattern: unknown): MatchesPath {
  if (typeof pattern !== 'string' || !/^\/[^*?#\p{Surrogate}]*\*?$/u.test(pattern))
    throw invalid(
      option,
      'a path such as /health, or the beginning of paths such as /assets/*',
      pattern,
    );
  const isPrefix = pattern.endsWith('*');
  const decoded = decodedPath(isPrefix ? pattern.slice(0, -1) : pattern);
  const forms = [decoded, encodeURI(decoded)];
  const matches = (path: string) =>
    forms.some((form) => (isPrefix ? path.startsWith(form) : path === form));
  return (target) => readingsOf(target).every(matches);
}
