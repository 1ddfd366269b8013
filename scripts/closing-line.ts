import type { Reporter, TestModule } from 'vitest/node';

/** The last line of a run, in plain words: `N passed, N failed, N skipped`. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const count = { passed: 0, failed: unhandled.length, skipped: 0, pending: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) count[test.result().state] += 1;
      // A file that cannot be loaded, or a hook that throws, fails without any test of its own.
      count.failed += module.errors().length;
      for (const suite of module.children.allSuites()) count.failed += suite.errors().length;
    }
    count.skipped += count.pending;
    const line = `${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`;
    // Coverage tables come after the reporters.
    process.once('exit', () => console.log(line));
  }
}
