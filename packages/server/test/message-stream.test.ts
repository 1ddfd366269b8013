import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import { MessageStream } from '../src/limits/message-stream.ts';

it('the beats of a stream that is not read do not end it', () => {
  const clock = new VirtualClock();
  let hasEnded = false;
  const stream = new MessageStream(clock, 100, () => {
    hasEnded = true;
  });
  clock.advance(100 * 5_000);
  expect(hasEnded).toBe(false);
  stream.close();
  expect(hasEnded).toBe(true);
});
