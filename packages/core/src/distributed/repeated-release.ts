import type { Answer, Op } from './contract.ts';

/**
 * The answer to an operation that was repeated because its connection ended. A release may have been executed the first
 * time: then `lost` does not mean that its lease was.
 */
export function answerOfRepeated({ verb }: Op, answer: Answer): Answer {
  const isReleased = verb === 'release' && 'state' in answer && answer.state === 'lost';
  return isReleased ? { ...answer, state: 'ok' } : answer;
}
