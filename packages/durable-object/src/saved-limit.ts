import { MemoryLease, type MemoryLimit, newMemory } from '@headgate/store-kit/memory-store';
import type { SqlStorage } from './durable-object.ts';

type LimitMemory = MemoryLimit['memory'];

/** The rows of one limit in the storage of its object. */
export class SavedLimit {
  /** Leases that have changed since the last `write`, by id; undefined if they were removed. */
  readonly #changes = new Map<string, MemoryLease | undefined>();
  /** The last saved record of the limit's memory. */
  #remembered = '';
  /**
   * Whether the tables exist. The first write creates them: each table is billed as a row, and a limit whose state is
   * only read needs none.
   */
  #hasTables: boolean;

  constructor(private readonly sql: SqlStorage) {
    const tables = [...sql.exec("SELECT name FROM sqlite_master WHERE name = 'memory'")];
    this.#hasTables = tables.length > 0;
  }

  leases(): MemoryLease[] {
    return this.#records('SELECT record FROM leases').map((record) => {
      const { id, weight, fencing, ...rest } = JSON.parse(record);
      const token = fencing === undefined ? undefined : BigInt(fencing);
      return Object.assign(new MemoryLease(id, weight), rest, { fencing: token });
    });
  }

  /** The limit's saved state. If there is none, returns a new one that starts at this time, in microseconds. */
  memory(micros: number): LimitMemory {
    const memory = this.#recall() ?? newMemory(micros);
    // The first operation changes the state of a new limit.
    this.#remembered = toRecord(memory);
    return memory;
  }

  changed(lease: MemoryLease): void {
    this.#changes.set(lease.id, lease);
  }

  removed(id: string): void {
    this.#changes.set(id, undefined);
  }

  /** Writes what has changed since the last call, each row once. */
  write(memory: LimitMemory): void {
    const record = toRecord(memory);
    if (this.#changes.size === 0 && record === this.#remembered) return;
    this.#createTables();
    for (const [id, lease] of this.#changes) {
      if (lease === undefined) this.sql.exec('DELETE FROM leases WHERE id = ?', id);
      else this.sql.exec('REPLACE INTO leases (id, record) VALUES (?, ?)', id, toRecord(lease));
    }
    this.#changes.clear();
    if (record === this.#remembered) return;
    this.#remembered = record;
    this.sql.exec('REPLACE INTO memory (id, record) VALUES (1, ?)', record);
  }

  #createTables(): void {
    if (this.#hasTables) return;
    this.#hasTables = true;
    // WITHOUT ROWID: otherwise each id would need a second row, in an index.
    this.sql.exec('CREATE TABLE leases (id TEXT PRIMARY KEY, record TEXT NOT NULL) WITHOUT ROWID');
    this.sql.exec('CREATE TABLE memory (id INTEGER PRIMARY KEY, record TEXT NOT NULL)');
  }

  #recall(): LimitMemory | undefined {
    const [record] = this.#records('SELECT record FROM memory');
    if (record === undefined) return undefined;
    const { lastToken, born, ...rest } = JSON.parse(record);
    return { ...rest, lastToken: BigInt(lastToken), born: BigInt(born) };
  }

  #records(query: string): string[] {
    if (!this.#hasTables) return [];
    return [...this.sql.exec(query)].map(({ record }) => record as string);
  }
}

function toRecord(value: object): string {
  return JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `${part}` : part));
}
