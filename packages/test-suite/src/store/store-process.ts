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

  constructor(readonly store: Store) {
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
    return this.store.send(ops, this.store.timeout);
  }

  stats(ref: LimitName): Promise<StoreStats> {
    return this.store.stats(ref);
  }

  /** Sends operations. None of them may fail. */
  async ask(ops: readonly Op[]): Promise<Reply[]> {
    const answers = await this.send(ops);
    return answers.map((answer) => {
      if ('error' in answer) throw answer.error;
      return answer;
    });
  }
}
