import type { Capabilities } from '@headgate/store-kit';
import type { StoreDriver, SuiteTimes } from './driver.ts';
import { LimitView } from './lease-probe.ts';
import { StoreProcess } from './store-process.ts';

/** Durations longer than any test. */
const long: SuiteTimes = { leaseDuration: 60_000, timeout: 20_000 };

/** Makes names unique, since the state may still contain limits of an earlier run. */
const run = crypto.randomUUID().slice(0, 8);
let names = 0;

export interface ViewOptions {
  readonly limit?: number;
  readonly key?: string | undefined;
  /** Whether leases expire within the test. */
  readonly expires?: boolean;
}

/** The stores and limits that one test creates. */
export class StoreWorld {
  readonly can: Capabilities;
  /** Duration in milliseconds of leases that expire within a test. */
  readonly lease: number;
  #processes: StoreProcess[] = [];

  constructor(readonly driver: StoreDriver) {
    this.can = driver.can ?? { recall: true };
    this.lease = driver.leaseDuration ?? 600;
  }

  /** A name for a limit that no other test uses. */
  name(): string {
    return `${run} ${++names}`;
  }

  async process(expires = false): Promise<StoreProcess> {
    const times = expires ? { leaseDuration: this.lease, timeout: this.lease / 3 } : long;
    const process = new StoreProcess(await this.driver.connect(times));
    this.#processes.push(process);
    return process;
  }

  async view({ limit = 1, key, expires }: ViewOptions = {}): Promise<LimitView> {
    return new LimitView(await this.process(expires), this.name(), key, limit);
  }

  /** One limit in two processes. */
  async pair(options: ViewOptions = {}): Promise<[LimitView, LimitView]> {
    const one = await this.view(options);
    return [one, await this.another(one, options)];
  }

  /** Returns the same limit in one more process, which may declare another value. */
  async another({ name, key, ref }: LimitView, options: ViewOptions = {}): Promise<LimitView> {
    const { limit = ref.limit, expires } = options;
    return new LimitView(await this.process(expires), name, key, limit);
  }

  /** Returns another limit in the same process, or the limit with this name. */
  beside({ process }: LimitView, name = this.name(), options: ViewOptions = {}): LimitView {
    return new LimitView(process, name, options.key, options.limit ?? 1);
  }

  /** Advances time. */
  async elapse(milliseconds: number): Promise<void> {
    const { driver } = this;
    if (driver.elapse !== undefined) await driver.elapse(milliseconds);
    else await new Promise((resolve) => setTimeout(resolve, milliseconds));
  }

  /** Advances time until every lease that may expire within the test has expired, unless renewed. */
  async outlive(): Promise<void> {
    await this.elapse(this.lease + 50);
  }

  /** Deletes the state. First advances time, since stores distinguish the states before and after by their time. */
  async wipe(): Promise<void> {
    await this.elapse(20);
    await this.driver.wipe?.();
  }

  async clear(): Promise<void> {
    for (const { store } of this.#processes.splice(0)) await store.close();
  }
}
