import type { LimitRef, Op, Reply, StoreStats } from '@headgate/core/shared';
import { Claim, type Wishes } from './claim.ts';
import type { StoreProcess } from './store-process.ts';

/** A limit as one process knows it: as it declared it, or as an answer has said since. */
export class LimitView {
  #version = '';

  constructor(
    readonly process: StoreProcess,
    readonly name: string,
    readonly key: string | undefined,
    private limit: number,
  ) {
    process.declared.add(name, limit);
  }

  get ref(): LimitRef {
    return { name: this.name, key: this.key, limit: this.limit, version: this.#version };
  }

  /** A lease that nobody has been asked for yet. */
  claim(wishes: Wishes = {}): Claim {
    return new Claim(this, wishes);
  }

  async acquire(wishes: Wishes = {}): Promise<Claim> {
    const claim = this.claim(wishes);
    await claim.do('acquire');
    return claim;
  }

  setLimitOp(limit: number): Op {
    return { verb: 'setLimit', ref: { ...this.ref, limit, version: '' } };
  }

  async setLimit(limit: number): Promise<Reply> {
    const [reply] = await this.process.ask([this.setLimitOp(limit)]);
    return this.hear(reply as Reply);
  }

  stats(): Promise<StoreStats> {
    return this.process.stats(this.ref);
  }

  /** From now on it knows what applies. */
  hear(reply: Reply): Reply {
    this.limit = reply.limit;
    this.#version = reply.version;
    return reply;
  }
}
