import type { LimitRef, Op, Reply, StoreStats } from '@headgate/core/distributed';
import { Claim, type Wishes } from './claim.ts';
import type { StoreProcess } from './store-process.ts';

/** A limit from the view of one process: as it has declared it, or as the latest reply says. */
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

  /** A lease that has not been requested yet. */
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

  /** Adopts the limit and version of a reply. */
  hear(reply: Reply): Reply {
    this.limit = reply.limit;
    this.#version = reply.version;
    return reply;
  }
}
