// A reporter of vitest that writes the result of each test to a file.
import { writeFileSync } from 'node:fs';

export default class Results {
  constructor({ file }) {
    this.file = file;
  }

  onTestRunEnd(modules, unhandled) {
    const tests = modules.flatMap((module) => [...resultsOf(module)]);
    for (const { message } of unhandled)
      tests.push({ file: '', title: 'outside of tests', state: 'failed', message });
    writeFileSync(this.file, JSON.stringify(tests));
  }
}

function* resultsOf(module) {
  const { children, relativeModuleId: file } = module;
  for (const test of children.allTests()) {
    const { state, errors } = test.result();
    // A test that is still pending was not run because a hook failed.
    const message = state === 'pending' ? 'has not ended' : errors?.[0]?.message;
    yield { file, title: test.fullName, state, message };
  }
  // A file that cannot be loaded, or a hook that throws, fails without a test of its own.
  for (const part of [module, ...children.allSuites()])
    for (const { message } of part.errors())
      yield { file, title: part.fullName ?? '', state: 'failed', message };
}
