import { expect, onTestFinished, test, vi } from 'vitest';
import type { Query } from '../src/client.ts';
import { FailureDetector } from '../src/failure-detector.ts';

test('a process continues to check its own session while a sweep is unanswered', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const sent = { watch: 0, sweep: 0 };
  const query = ({ text }: Query): Promise<readonly unknown[][]> => {
    if (text.includes('watch')) {
      sent.watch += 1;
      return Promise.resolve([['first']]);
    }
    sent.sweep += 1;
    return new Promise(() => {});
  };
  const sender = { owner: 'me', leaseDuration: 300, addresses: new WeakMap() };
  const horizon = { check() {}, clear() {} } as never;
  const detector = new FailureDetector({
    schema: 'any',
    ...{ query, inOrder: query },
    sender,
    horizon,
    unseen() {},
    notify() {},
  });
  onTestFinished(() => detector.leave());
  detector.join(1);
  await vi.advanceTimersByTimeAsync(2_100);
  expect(sent).toEqual({ watch: 9, sweep: 1 });
});
