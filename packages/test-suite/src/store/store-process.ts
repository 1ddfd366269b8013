import type {
  Answer,
  Grant,
  LimitName,
  Op,
  Reply,
  Store,
  StoreListener,
  StoreStats,
} from '@headgate/store-kit';
import { Declared } from './declared.ts';

/** A process with its store and the messages that the store has pushed. */
export class StoreProcess {
  readonly grants: Grant[] = [];
  readonly recalls: LimitName[] = [];
  /** The limits that other processes have operated. */
  readonly operations: LimitName[] = [];
  /** How often the store has asked the process to check, since the process may have missed messages. */
  checks = 0;
  readonly unlisten: () => void;
  #ids = 0;

  constructor(
    readonly store: Store,
    readonly declared = new Declared(),
  ) {
    const listener: StoreListener = {
      grant: (grant) => void this.grants.push(grant),
      recall: (ref) => void this.recalls.push(ref),
      operated: (ref) => void this.operations.push(ref),
      check: () => void this.checks++,
      state: () => {},
    };
    this.unlisten = store.listen(listener);
  }

  id(): string {
    this.#ids++;
    return `${this.store.owner}.${this.#ids.toString(36)}`;
  }

  send(ops: readonly Op[]): Promise<Answer[]> {
    return this.declared.whenDeclared(() => this.store.send(ops, this.store.timeout));
  }

  stats(ref: LimitName): Promise<StoreStats> {
    return this.declared.whenDeclared(() => this.store.stats(ref));
  }

  /** Sends operations. None of them may fail. */
  async ask(ops: readonly Op[]): Promise<Reply[]> {
    const answers = await this.send(ops);
    const replies = answers.map((answer) => {
      if ('error' in answer) throw answer.error;
      return answer;
    });
    return this.store.can.counts ? replies : this.#counted(ops, replies);
  }

  /** Adds counts to the replies of stores that do not report them. */
  async #counted(ops: readonly Op[], replies: readonly Reply[]): Promise<Reply[]> {
    const refs = ops.map((op) => (op.verb === 'declare' ? op.ref : op.lease.ref));
    const stats = new Map<string, StoreStats>();
    for (const ref of refs) if (!stats.has(ref.name)) stats.set(ref.name, await this.stats(ref));
    return replies.map((reply, at) => {
      const { inflight, queued } = stats.get((refs[at] as LimitName).name) as StoreStats;
      return { ...reply, inflight, queued };
    });
  }
}
