import type { Reporter, TestModule } from 'vitest/node';

/** The last lines of a run, in plain words: what failed, and `N passed, N failed, N skipped`. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const count = { passed: 0, failed: unhandled.length, skipped: 0, pending: 0 };
    const failures: string[] = [];
    for (const module of modules) {
      const { children, relativeModuleId: file } = module;
      for (const test of children.allTests()) {
        const { state, errors = [] } = test.result();
        count[state] += 1;
        if (state === 'failed')
          failures.push(`${file} > ${test.fullName}: ${errors[0]?.message ?? ''}`);
      }
      // A file that cannot be loaded, or a hook that throws, fails without any test of its own.
      const others = [module, ...children.allSuites()].flatMap((part) => part.errors());
      count.failed += others.length;
      for (const { message } of others) failures.push(`${file}: ${message}`);
    }
    count.skipped += count.pending;
    const line = `${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`;
    const told = failures.map((failure) => `FAILED ${failure}\n`).join('');
    // Coverage tables come after the reporters.
    process.once('exit', () => console.log(`${told}${line}`));
  }
}
