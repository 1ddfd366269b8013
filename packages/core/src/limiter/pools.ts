import { HeadgateError } from '../errors.ts';
import { checkCount } from '../options.ts';
import { Pool, type PoolOwner } from './pool.ts';

/** A limiter's pools: a single one, or one for each key in use. An idle key leaves nothing behind. */
export class Pools {
  readonly #only: Pool | undefined;
  readonly #byKey = new Map<string, Pool>();

  constructor(
    private readonly owner: PoolOwner,
    perKey: boolean,
  ) {
    if (!perKey) this.#only = new Pool(owner, undefined, owner.limit);
  }

  /** The pool for a key; a new one is not kept before somebody is admitted. */
  of(key: string | undefined, limit: number | undefined): Pool {
    if (this.#only !== undefined) {
      if (key === undefined && limit === undefined) return this.#only;
      throw misfit(`limiter "${this.owner.name}" is not keyed: set perKey`);
    }
    if (typeof key !== 'string') throw misfit(`limiter "${this.owner.name}" needs a key`);
    const own = limit === undefined ? undefined : checkCount('limit', limit, 1);
    const pool = this.#byKey.get(key);
    if (pool === undefined) return new Pool(this.owner, key, own ?? this.owner.limit);
    if (own === undefined || own === pool.limit) return pool;
    pool.resize(own);
    // Whom that has admitted may be done already, and the pool dropped.
    return this.#byKey.get(key) ?? new Pool(this.owner, key, own);
  }

  /** As `of`, after the app's own code has run: the key may be in use again, and under another limit. */
  again(key: string | undefined, limit: number | undefined): Pool {
    return this.find(key) ?? this.of(key, limit);
  }

  find(key: string | undefined): Pool | undefined {
    return this.#only ?? this.#byKey.get(key as string);
  }

  keep(pool: Pool): void {
    if (pool.key !== undefined) this.#byKey.set(pool.key, pool);
  }

  drop(pool: Pool): void {
    if (pool.key !== undefined && this.#byKey.get(pool.key) === pool) this.#byKey.delete(pool.key);
  }

  /** How many keys are in use. */
  get keys(): number {
    return this.#byKey.size;
  }

  /** A copy: what is done to one pool may end another's use. */
  inUse(): Pool[] {
    return this.#only === undefined ? [...this.#byKey.values()] : [this.#only];
  }
}

function misfit(message: string): HeadgateError {
  return new HeadgateError('ERR_HEADGATE_KEY', message, 'key');
}
