import type { ObjectContext } from '../src/durable-object.ts';

type Storage = ObjectContext['storage'];

/** Storage in memory, which knows only the statements of `SavedLimit`. */
export class SimulatedStorage implements Storage {
  /** The records of each table, by id. */
  readonly tables = new Map<string, Map<string, string>>();
  alarm = Infinity;
  /** Number of rows written, without alarms. */
  rows = 0;

  readonly sql = {
    exec: (query: string, ...bindings: readonly string[]): Iterable<Record<string, unknown>> => {
      const [, verb, name = ''] = /^(SELECT|CREATE|REPLACE|DELETE).*?(\w+)(?= WHERE| \(|$)/.exec(
        query,
      ) as string[];
      if (name === 'sqlite_master') return this.tables.has('memory') ? [{ name: 'memory' }] : [];
      const table = this.tables.get(name) ?? new Map<string, string>();
      if (verb === 'SELECT') return [...table.values()].map((record) => ({ record }));
      this.rows++;
      this.tables.set(name, table);
      const record = bindings.at(-1) ?? '';
      if (verb === 'REPLACE') table.set(bindings.length > 1 ? (bindings[0] ?? '') : '1', record);
      if (verb === 'DELETE') table.delete(record);
      return [];
    },
  };

  async setAlarm(time: number): Promise<void> {
    this.alarm = time;
  }

  async deleteAll(): Promise<void> {
    this.tables.clear();
    this.alarm = Infinity;
  }
}
