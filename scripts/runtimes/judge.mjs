import { reasonOf, unshown } from './differences.mjs';
import { idOf } from './runtimes.mjs';

/** Counts the results of each suite; a failure that a known difference explains is counted apart. */
export function judge(runtime, suites) {
  const rows = suites.map(({ suite, results }) => {
    const failed = results.filter(({ state }) => state === 'failed' || state === 'pending');
    const unexplained = failed.filter((result) => reasonOf(runtime, result) === undefined);
    const problems = unexplained.map(
      ({ file, title, message }) => `${idOf(runtime)} ${file} > ${title}: ${message}`,
    );
    // A suite without results has not run.
    if (results.length === 0) problems.push(`${idOf(runtime)} ${suite.package}: no test has run`);
    return {
      suite,
      passed: results.filter(({ state }) => state === 'passed').length,
      failed: problems.length,
      different: failed.length - unexplained.length,
      inapplicable: results.filter(({ state }) => state === 'skipped').length,
      problems,
    };
  });
  const failures = suites.flatMap(({ results }) =>
    results.filter(({ state }) => state === 'failed'),
  );
  for (const { where, text } of unshown(runtime, failures)) {
    rows[0].failed += 1;
    rows[0].problems.push(`${idOf(runtime)} no longer differs: ${where}: ${text}`);
  }
  return rows;
}
