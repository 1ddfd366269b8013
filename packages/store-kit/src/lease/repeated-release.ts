import type { Answer, Op } from '../contract.ts';

/**
 * Corrects the answer to an operation that was repeated because its connection ended. The first attempt of a release
 * may have been executed, so `lost` does not mean that its lease was lost.
 */
export function answerOfRepeated({ verb }: Op, answer: Answer): Answer {
  const isReleased = verb === 'release' && 'state' in answer && answer.state === 'lost';
  return isReleased ? { ...answer, state: 'ok' } : answer;
}
