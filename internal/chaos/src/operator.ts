import { setTimeout as sleep } from 'node:timers/promises';
import { operatedLimit } from './operated-limit.ts';
import { type Rng, shuffled } from './rng.ts';
import type { ChaosOperation } from './worker/messages.ts';
import type { Workers } from './workers.ts';

/** The operations between two returns to normal operation. */
const changes: readonly (readonly ChaosOperation[])[] = [
  ...([['pause'], ['rejectAll'], ['shadow'], ['shadow', 'pause'], ['pause', 'rejectAll']] as const),
  ...[[1], [4], [2]],
];

/** Operates the limit, each time in another process. */
export class Operator {
  #isActive = false;
  #comparisons = 0;

  constructor(
    private readonly workers: Workers,
    private readonly rng: Rng,
  ) {}

  /** Operates the limit at random until `stop` is called. Then resolves. */
  async run(): Promise<void> {
    this.#isActive = true;
    // Even a short round has at least these operations. Each is followed by normal operation, in which other invariants
    // are checked.
    let deck: (readonly ChaosOperation[])[] = [['pause'], ['shadow']];
    let isRandom = false;
    while (this.#isActive) {
      if (deck.length === 0) {
        deck = shuffled(changes, this.rng);
        isRandom = true;
      }
      for (const operation of deck.pop() ?? []) await this.#operate(operation);
      if (isRandom && this.rng.chance(0.3)) continue;
      await this.#operate('resume');
      await this.#operate('enforce');
    }
  }

  stop(): void {
    this.#isActive = false;
  }

  /** Makes all processes report what they know of the limit. They must know the same. */
  async compare(timeout: number, expected?: string): Promise<void> {
    const comparison = ++this.#comparisons;
    this.workers.sendToAll({ comparison, limit: operatedLimit, expected });
    await sleep(2 * timeout);
  }

  /** Makes one process return to normal operation. Then all processes must know that. */
  async reset(lease: number, timeout: number): Promise<void> {
    const [member] = this.workers.members;
    for (const operate of [operatedLimit, 'resume', 'enforce'] as const) {
      member?.send({ operate, limit: operatedLimit });
    }
    // By then, the waiters have renewed their place.
    await sleep(lease / 2);
    await this.compare(timeout, `open enforce ${operatedLimit}`);
  }

  /** Makes a process operate the limit, which stays in that state for a while or only a moment. */
  async #operate(operate: ChaosOperation): Promise<void> {
    this.rng.pick(this.workers.members)?.send({ operate, limit: operatedLimit });
    await sleep(this.rng.chance(0.15) ? 0 : this.rng.between(50, 300));
  }
}
