import { LimitObject } from '@headgate/durable-object';
import {
  decode,
  encode,
  type LeaseVerb,
  type Op,
  type OperatedChange,
  type Reply,
  type StoreStats,
} from '@headgate/store-kit';
import { vi } from 'vitest';
import type { Call, Line } from '../src/protocol.ts';
import { SimulatedStorage } from './simulated-storage.ts';

/** The object of one limit of 1, with simulated storage, at the time of vitest's fake `Date`. */
export class SimulatedObject {
  readonly storage = new SimulatedStorage();
  #instance = this.#create();

  constructor(private readonly leaseDuration: number) {}

  /** Removes the object from memory, as the runtime does once it is idle. */
  evict(): void {
    this.#instance = this.#create();
  }

  do(verb: LeaseVerb, id: string): Promise<Reply> {
    const terms = { queueLimit: 0, weight: 1, resized: false, extraTokens: 0, reserves: false };
    const ref = { name: 'simulated', limit: 1, version: '' };
    return this.#execute({ verb, lease: { ref, id: `owner.${id}`, wait: 0, ...terms } });
  }

  operate(change: OperatedChange): Promise<Reply> {
    const ref = { name: 'simulated', limit: 1, version: '' };
    return this.#execute({ verb: 'declare', ref, change });
  }

  async stats(): Promise<StoreStats> {
    return ((await this.#call({ stats: true })) as { stats: StoreStats }).stats;
  }

  /** Waits until the alarm is due, and then calls it. */
  async ring(): Promise<void> {
    vi.setSystemTime(Math.max(this.storage.alarm, Date.now()));
    this.storage.alarm = Infinity;
    await this.#instance.alarm();
  }

  get isForgotten(): boolean {
    return this.storage.tables.size === 0;
  }

  #create(): LimitObject {
    return new LimitObject({ storage: this.storage });
  }

  async #execute(op: Op): Promise<Reply> {
    const call = { leaseDuration: this.leaseDuration, ops: [op] };
    const { replies } = (await this.#call(call)) as { replies: readonly Reply[] };
    return replies[0] as Reply;
  }

  /** The first line of the response. */
  async #call(call: Call) {
    const body = encode(call);
    const request = new Request('http://object/', { method: 'POST', body });
    const response = await this.#instance.fetch(request);
    const [line = ''] = (await response.text()).split('\n');
    return decode<Line>(line);
  }
}
