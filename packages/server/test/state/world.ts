import { Refusal } from '../../src/state/refusal.ts';
import type { SemaphoreSettings } from '../../src/state/semaphore.ts';
import { State, type StateOptions } from '../../src/state/state.ts';

/** Full counts, with a level where it matters. */
type Counts = Record<string, number | [max: number, level: number]>;

export function settings(counts: Counts): Map<string, SemaphoreSettings> {
  return new Map(
    Object.entries(counts).map(([name, value]) => {
      const [max, level] = typeof value === 'number' ? [value, 0] : value;
      return [name, { max: BigInt(max), level }];
    }),
  );
}

/** A state with a manual clock, whose ids are 1, 2, 3… */
export class World {
  now = 0;
  readonly state: State;
  readonly expired: number[] = [];
  #lastId = 0n;

  constructor(counts: Counts, bounds: Partial<StateOptions> = {}) {
    this.state = new State({
      now: () => this.now,
      randomId: () => ++this.#lastId,
      maxPeers: 1_000,
      maxBlocked: 1_000,
      wakeAt: () => {},
      expired: (peers) => this.expired.push(peers),
      ...bounds,
    });
    this.state.configure(settings(counts));
  }

  peer(expiresIn = 60_000): bigint {
    return this.state.newPeer(expiresIn) as bigint;
  }

  /** True, false, or the text of the refusal. */
  acquire(peer: bigint, semaphore: string, count = 1, expiresIn?: number): boolean | string {
    return said(this.state.acquire({ peer, semaphore, count: BigInt(count), expiresIn }));
  }

  /** Blocks a request. Returns the list of its answers, which grows later. */
  block(peer: bigint, semaphore: string, blockFor: number): (boolean | string)[] {
    const answers: (boolean | string)[] = [];
    const request = { peer, semaphore, count: 1n };
    const wait = this.state.wait(request, blockFor, (answer) => answers.push(said(answer)));
    if (wait instanceof Refusal) answers.push(wait.text);
    return answers;
  }

  remainder(semaphore: string): number {
    return Number(this.state.remainder(semaphore));
  }

  /** Advances `now` and applies what is due. */
  pass(milliseconds: number): void {
    this.now += milliseconds;
    this.state.advance();
  }
}

export function said<T>(answer: T | Refusal): T | string {
  return answer instanceof Refusal ? answer.text : answer;
}
