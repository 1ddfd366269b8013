import type { Capabilities } from '@headgate/core/shared';
import { Declared } from './declared.ts';
import { capabilitiesOf, type StoreDriver, type SuiteTimes } from './driver.ts';
import { LimitView } from './limit-view.ts';
import { StoreProcess } from './store-process.ts';

/** Longer than any test. */
const long: SuiteTimes = { lease: 60_000, timeout: 20_000 };

/** What the state still knows of an earlier run is nobody's. */
const run = crypto.randomUUID().slice(0, 8);
let names = 0;

export interface ViewOptions {
  readonly limit?: number;
  readonly key?: string | undefined;
  /** Whether leases expire within the test. */
  readonly expires?: boolean;
}

/** What one test makes of a kind of store. */
export class StoreWorld {
  readonly can: Capabilities;
  /** Milliseconds that leases last which expire within a test. */
  readonly lease: number;
  readonly #declared: Declared;
  #processes: StoreProcess[] = [];

  constructor(readonly driver: StoreDriver) {
    this.can = capabilitiesOf(driver);
    this.lease = driver.lease ?? 600;
    this.#declared = new Declared(driver);
  }

  /** How many wait whose weights are these, as the store counts them. */
  queued(...weights: number[]): number {
    return this.#counted(weights);
  }

  /** How many hold whose weights are these, as the store counts them. */
  holders(...weights: number[]): number {
    return this.#counted(weights);
  }

  /** So many were found expired, as the store counts them. */
  reclaimed(count: number): number {
    return this.can.counts ? count : 0;
  }

  #counted(weights: readonly number[]): number {
    return this.can.counts ? weights.length : weights.reduce((sum, weight) => sum + weight, 0);
  }

  /** Of a limit that no other test asks for. */
  name(): string {
    return `${run} ${++names}`;
  }

  async process(expires = false): Promise<StoreProcess> {
    const times = expires ? { lease: this.lease, timeout: this.lease / 3 } : long;
    const process = new StoreProcess(await this.driver.connect(times), this.#declared);
    this.#processes.push(process);
    return process;
  }

  async view({ limit = 1, key, expires }: ViewOptions = {}): Promise<LimitView> {
    return new LimitView(await this.process(expires), this.name(), key, limit);
  }

  /** The same limit, from two processes. */
  async pair(options: ViewOptions = {}): Promise<[LimitView, LimitView]> {
    const one = await this.view(options);
    return [one, await this.another(one, options)];
  }

  /** The same limit, from one more process, which may declare another. */
  async another({ name, key, ref }: LimitView, options: ViewOptions = {}): Promise<LimitView> {
    const { limit = ref.limit, expires } = options;
    return new LimitView(await this.process(expires), name, key, limit);
  }

  /** Another limit, or by its name one that is known elsewhere, from the same process. */
  beside({ process }: LimitView, name = this.name(), options: ViewOptions = {}): LimitView {
    return new LimitView(process, name, options.key, options.limit ?? 1);
  }

  /** Time passes. */
  async elapse(milliseconds: number): Promise<void> {
    const { driver } = this;
    if (driver.elapse !== undefined) await driver.elapse(milliseconds);
    else await new Promise((resolve) => setTimeout(resolve, milliseconds));
  }

  /** Without a renewal, all leases that may expire within the test have done so. */
  async outlive(): Promise<void> {
    await this.elapse(this.lease + 50);
  }

  /** The state is lost. What came before is known from what comes after by the store's time, which has to pass. */
  async wipe(): Promise<void> {
    await this.elapse(20);
    await this.driver.wipe?.();
  }

  async clear(): Promise<void> {
    for (const { store } of this.#processes.splice(0)) await store.close();
    this.forget();
  }

  /** No limit so far is used any more. */
  forget(): void {
    this.#declared.clear();
  }
}
