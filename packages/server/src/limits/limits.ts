import type { Clock, StoreStats } from '@headgate/core';
import type { Answer, LimitName, Op } from '@headgate/store-kit';
import { Memory } from '@headgate/store-kit/memory-store';
import { MessageStream } from './message-stream.ts';
import { type LimitSummary, summarize } from './summary.ts';

/** The operations of a process, whose leases have this duration in milliseconds. */
export interface Batch {
  readonly owner: string;
  readonly leaseDuration: number;
  readonly ops: readonly Op[];
}

/** The limits that processes count here, with keys, tokens and operations, as in any other store. */
export class Limits {
  readonly #memory: Memory;
  readonly #streams = new Set<MessageStream>();

  /** @param maxSize Maximum number of limits and leases. */
  constructor(
    private readonly clock: Clock,
    maxSize: number,
  ) {
    this.#memory = new Memory({ clock: sinceEpoch(clock), maxSize });
  }

  /** The answers to the operations, in their order. */
  execute({ leaseDuration, ops }: Batch): Answer[] {
    return ops.map((op) => this.#memory.do(op, leaseDuration));
  }

  stats(ref: LimitName): StoreStats {
    return this.#memory.stats(ref);
  }

  /** Each limit, without its keys. */
  summaries(): LimitSummary[] {
    return summarize(this.#memory.all());
  }

  /** Opens the stream of messages to a process. It replaces an earlier one. */
  open(owner: string, interval: number): ReadableStream<Uint8Array> {
    const stream = new MessageStream(this.clock, interval, () => {
      this.#streams.delete(stream);
      unlisten();
    });
    this.#streams.add(stream);
    const unlisten = this.#memory.listen(owner, stream);
    return stream.body;
  }

  close(): void {
    for (const stream of this.#streams) stream.close();
  }
}

/**
 * The same clock from 1970 on. Fencing tokens are numbers of microseconds, so that those of a restarted server are
 * higher than all before.
 */
function sinceEpoch(clock: Clock): Clock {
  const origin = Date.now() - clock.now();
  return {
    now: () => origin + clock.now(),
    setTimeout: (callback, delay) => clock.setTimeout(callback, delay),
    clearTimeout: (timer) => clock.clearTimeout(timer),
  };
}
