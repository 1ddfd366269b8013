/** Why a request was refused. */
export type RefusalKind =
  | 'unknown-semaphore'
  | 'unknown-peer'
  | 'count'
  | 'never'
  | 'hierarchy'
  | 'pending'
  | 'restore'
  | 'shrinking'
  | 'busy';

/** Not an Error: clients may cause many refusals, for which stack traces would be wasted. */
export class Refusal {
  constructor(
    readonly kind: RefusalKind,
    /** The protocol's exact text, including its spelling mistakes, because clients compare it. */
    readonly text: string,
  ) {}
}

/** Whether the lock is acquired. Also false if the request has timed out. */
export type Acquired = boolean | Refusal;

export const unknownSemaphore = new Refusal('unknown-semaphore', 'Unknown semaphore');
export const unknownPeer = new Refusal('unknown-peer', 'Unknown peer');
export const alreadyPending = new Refusal(
  'pending',
  'Already pending. Only one pendig lock per peer is allowed.',
);
export const restoreWouldChange = new Refusal(
  'restore',
  'Restore is not allowed to change existing peers.',
);
export const shrinking = new Refusal(
  'shrinking',
  'Shrinking the count of an existing lock is currently not implemented.',
);
export const tooManyPeers = new Refusal('busy', 'Too many peers.');
export const tooManyWaits = new Refusal('busy', 'Too many blocked requests.');
export const tooManyAnswers = new Refusal('busy', 'Too many long answers are not read yet.');

export function badCount(count: bigint): Refusal {
  return new Refusal('count', `Lock count must be a positive number. Found: ${count}.`);
}

export function exceedsFullCount(asked: bigint, max: bigint): Refusal {
  const text = `Lock can never be acquired. Lock asks for count ${asked} yet full count is only ${max}.`;
  return new Refusal('never', text);
}

export function hierarchy(current: number, requested: number): Refusal {
  const text = [
    `Lock hierachy violation. This may deadlock. The current lock level is ${current} the`,
    `        requested lock level was ${requested}.`,
  ].join('\n');
  return new Refusal('hierarchy', text);
}
