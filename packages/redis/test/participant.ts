import { type RedisStoreOptions, redisStore } from '@headgate/redis';
import {
  type Grant,
  type Op,
  type OperatedChange,
  type OperatedState,
  type Reply,
  type Store,
  StoreError,
} from '@headgate/store-kit';
import { expect, vi } from 'vitest';
import type { AppClient } from './clients.ts';

let serial = 0;

export interface OpSpec {
  readonly name?: string;
  readonly key?: string;
  readonly limit?: number;
  readonly version?: string;
  readonly id?: string;
  readonly weight?: number;
  readonly resized?: boolean;
  readonly wait?: number;
  readonly queueLimit?: number;
  readonly place?: string | undefined;
  readonly fencing?: bigint | undefined;
  readonly extraTokens?: number;
  readonly reserves?: boolean;
  readonly operated?: OperatedState | undefined;
  readonly change?: OperatedChange;
}

/** Simulates a process: a store with its own client, which records all events. */
export class Participant {
  readonly store: Store;
  readonly grants: Grant[] = [];
  readonly recalls: { name: string; key?: string | undefined }[] = [];
  readonly states: { up: boolean; code: string | undefined }[] = [];
  readonly muted: (string | undefined)[] = [];
  checks = 0;

  constructor(
    readonly app: AppClient,
    options: Omit<RedisStoreOptions, 'client'> = {},
  ) {
    this.store = redisStore({ client: app.client, ...options });
    this.store.listen({
      grant: (grant) => this.grants.push(grant),
      recall: (ref) => this.recalls.push(ref),
      check: () => {
        this.checks += 1;
      },
      state: (up, error) => this.states.push({ up, code: error?.code }),
      muted: (error) => this.muted.push(error?.code),
    });
  }

  id(): string {
    return `${this.store.owner}.${++serial}`;
  }

  op(verb: Op['verb'], spec: OpSpec): Op {
    const { name = 'limit', key, limit = 1, version = '', operated, change, ...rest } = spec;
    const ref = { name, key, limit, version, operated };
    if (verb === 'declare') return { verb, ref, change };
    const defaults = { weight: 1, resized: false, wait: 0, queueLimit: 1_000, extraTokens: 0 };
    return { verb, lease: { ...defaults, reserves: false, id: this.id(), ...rest, ref } };
  }

  /** Sends one operation, which must succeed. */
  async do(verb: Op['verb'], spec: OpSpec): Promise<Reply> {
    const [answer] = await this.store.send([this.op(verb, spec)], 5_000);
    if (answer === undefined || 'error' in answer) throw answer?.error ?? new Error('no answer');
    return answer;
  }

  /** Sends one operation, which must fail. */
  async fails(verb: Op['verb'], spec: OpSpec = {}, timeout = 1_000): Promise<StoreError> {
    const [answer] = await this.store.send([this.op(verb, spec)], timeout);
    expect(answer).toHaveProperty('error');
    const { error } = answer as { error: StoreError };
    expect(error).toBeInstanceOf(StoreError);
    return error;
  }

  /** Resolves when messages arrive. */
  async listening(): Promise<void> {
    const { checks } = this;
    await this.store.send([], 1_000);
    await vi.waitFor(() => expect(this.checks).toBeGreaterThan(checks), 10_000);
  }

  async granted(id: string): Promise<Grant> {
    const find = () => this.grants.find((grant) => grant.id === id);
    await vi.waitFor(() => expect(find(), `a grant for ${id}`).toBeDefined(), 10_000);
    return find() as Grant;
  }

  async end(): Promise<void> {
    await this.store.close();
    await this.app.close();
  }
}
