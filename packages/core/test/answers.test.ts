import { expect, it } from 'vitest';
import { RejectionResponses } from '../src/http/rejection-response.ts';

it('at most a thousand rejection responses are cached', () => {
  const answers = new RejectionResponses();
  const asked = { method: 'GET', accept: undefined, statusCode: 503 };
  const answer = (retryAfter: number) =>
    answers.to({ reason: 'full', limitName: 'all', queued: 0, waited: 0, retryAfter }, asked);
  const first = answer(1);
  for (let retryAfter = 2; retryAfter <= 1000; retryAfter++) answer(retryAfter);
  expect(answer(1)).toBe(first);
  answer(1001);
  expect(answer(1)).not.toBe(first);
  expect(answer(1)).toEqual(first);
});
