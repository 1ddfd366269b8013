import { describe } from 'vitest';

/**
 * A group of tests that runs in parallel with the groups before and after it in the file; its own tests run one after
 * the other. For tests that spend most of their time waiting. A group that counts connections or processes, or changes
 * the database, needs a database of its own; its tests take `onTestFinished` from their context.
 */
export function inParallel(title: string, tests: () => void): void {
  describe.concurrent(title, () => void describe.sequential('one by one', tests));
}
