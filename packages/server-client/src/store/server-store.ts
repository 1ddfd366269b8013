import {
  type Answer,
  answerOfRepeated,
  type Capabilities,
  decode,
  encode,
  type LimitName,
  type Op,
  type Reply,
  Store,
  StoreError,
  type StoreListener,
  type StoreStats,
  within,
} from '@headgate/store-kit';
import { closed, late, notDone, refused, unreachable } from '../failure.ts';
import type { Streams } from '../stream.ts';
import type { Caller, CallTimes } from '../transport.ts';
import { batchesOf } from './batches.ts';
import { Messages } from './messages.ts';

export class ServerStore extends Store {
  readonly can: Capabilities = { recall: true };
  readonly #transport: Caller & Streams;
  readonly #messages: Messages;
  #listener: StoreListener | undefined;
  #isClosed = false;

  constructor(transport: Caller & Streams, settings: ConstructorParameters<typeof Store>[0]) {
    super(settings);
    this.#transport = transport;
    this.#messages = new Messages({
      ...{ streams: transport, owner: this.owner, timeout: this.timeout },
      listener: () => this.#listener,
    });
  }

  async send(ops: readonly Op[], timeout: number): Promise<Answer[]> {
    if (this.#isClosed) return ops.map(() => ({ error: closed('the store') }));
    this.#messages.open();
    const answers: Answer[] = [];
    const controller = new AbortController();
    const done = await within(timeout, async () => {
      await this.#sendAll(ops, answers, { signal: controller.signal });
      return true;
    });
    if (done === undefined) controller.abort(late());
    this.#messages.keepAlive();
    return ops.map((_, index) => answers[index] ?? { error: late() });
  }

  listen(listener: StoreListener): () => void {
    this.#listener = listener;
    return () => {
      if (this.#listener === listener) this.#listener = undefined;
    };
  }

  async stats({ name, key }: LimitName): Promise<StoreStats> {
    if (this.#isClosed) throw closed('the store');
    const body = encode({ name, key });
    const call = { method: 'POST', path: '/limits/stats', body } as const;
    const answer = await this.#transport.call(call, { timeout: this.timeout });
    if (answer.status !== 200) throw notDone(answer);
    try {
      return decode<StoreStats>(answer.text);
    } catch (error) {
      throw unreachable(error);
    }
  }

  override get closed(): boolean {
    return this.#isClosed;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#messages.close();
    this.#transport.close();
  }

  /** Sends the operations, one batch after the other, and adds their answers. Never rejects. */
  async #sendAll(ops: readonly Op[], answers: Answer[], times: CallTimes): Promise<void> {
    for (const { body, size } of batchesOf(ops, this.owner, this.leaseDuration)) {
      const first = answers.length;
      const own = ops.slice(first, first + size);
      const received = await this.#execute(own, body, times).catch((error) => {
        const known = error instanceof StoreError ? error : unreachable(error);
        return own.map(() => ({ error: known }));
      });
      answers.push(...received);
    }
  }

  async #execute(ops: readonly Op[], body: string, times: CallTimes): Promise<Answer[]> {
    const answer = await this.#transport.call({ method: 'POST', path: '/limits', body }, times);
    if (answer.status !== 200) throw notDone(answer);
    const received = decode<(Reply | { refused: string })[]>(answer.text);
    return ops.map((op, index) => {
      const one = received[index] ?? { refused: 'the semaphore service has not answered' };
      if ('refused' in one) return { error: refused(one.refused) };
      return answer.isRepeated ? answerOfRepeated(op, one) : one;
    });
  }
}
