import type {
  Answer,
  Grant,
  LimitName,
  Op,
  Reply,
  Store,
  StoreListener,
} from '@headgate/core/shared';

/** One end of the state: a store, and what it has said unasked. */
export class StoreProcess {
  readonly grants: Grant[] = [];
  readonly recalls: LimitName[] = [];
  /** How often it was told that it may have missed something. */
  checks = 0;
  readonly unlisten: () => void;
  #ids = 0;

  constructor(readonly store: Store) {
    const listener: StoreListener = {
      grant: (grant) => void this.grants.push(grant),
      recall: (ref) => void this.recalls.push(ref),
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

  /** Where none may fail. */
  async ask(ops: readonly Op[]): Promise<Reply[]> {
    const answers = await this.send(ops);
    return answers.map((answer) => {
      if ('error' in answer) throw answer.error;
      return answer;
    });
  }
}
