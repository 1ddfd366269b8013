import type { Reporter, TestModule, TestSpecification, Vitest } from 'vitest/node';

/**
 * The last lines of a run: failures and tests that did not run, then `N passed, N failed, N skipped`. A skipped test
 * fails the run, unless a name pattern or a line number has selected others.
 */
export default class ClosingLine implements Reporter {
  #vitest!: Vitest;
  #isSelection = false;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#isSelection =
      this.#vitest.getGlobalTestNamePattern() !== undefined ||
      specifications.some(({ testLines }) => testLines !== undefined);
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const count = { passed: 0, failed: unhandled.length, skipped: 0 };
    const told: string[] = [];
    for (const module of modules) {
      const { children, relativeModuleId: file } = module;
      for (const test of children.allTests()) {
        const { state, errors = [] } = test.result();
        // A test that is still pending was not run because a hook failed.
        count[state === 'pending' ? 'skipped' : state] += 1;
        if (state === 'failed')
          told.push(`FAILED ${file} > ${test.fullName}: ${errors[0]?.message ?? ''}`);
        else if (state !== 'passed' && !this.#isSelection)
          told.push(`SKIPPED ${file} > ${test.fullName}`);
      }
      // A file that cannot be loaded, or a hook that throws, fails without a test of its own.
      const others = [module, ...children.allSuites()].flatMap((part) => part.errors());
      count.failed += others.length;
      for (const { message } of others) told.push(`FAILED ${file}: ${message}`);
    }
    if (count.skipped > 0 && !this.#isSelection) process.exitCode = 1;
    const line = `${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`;
    // Coverage tables come after the reporters.
    process.once('exit', () => console.log([...told, line].join('\n')));
  }
}
