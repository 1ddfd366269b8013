import { HeadgateError, invalid, nearest } from '@headgate/core/shared';

/** A value that makes no sense, and which one it is. */
export class Misfit extends Error {
  constructor(
    readonly path: readonly string[],
    message: string,
  ) {
    super(message);
  }
}

/** A table of a TOML file, and where it is. */
export class Table {
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #path: readonly string[];

  constructor(values: unknown, path: readonly string[] = []) {
    this.#path = path;
    if (!isTable(values)) throw this.misfit([], 'a table', values);
    this.#values = values;
  }

  get names(): string[] {
    return Object.keys(this.#values);
  }

  value(name: string): unknown {
    return Object.hasOwn(this.#values, name) ? this.#values[name] : undefined;
  }

  /** An empty one where there is none. */
  table(name: string): Table {
    return new Table(this.value(name) ?? {}, [...this.#path, name]);
  }

  /** The tables in it. */
  tables(): Table[] {
    return this.names.flatMap((name) => (isTable(this.value(name)) ? [this.table(name)] : []));
  }

  /**
   * @param elsewhere Paths of keys that may have been written into the wrong table.
   * @returns The paths of the unknown keys.
   * @throws Misfit for an unknown key that resembles a known one.
   */
  unknown(known: readonly string[], elsewhere: readonly string[] = []): string[][] {
    const paths = new Map(elsewhere.map((path) => [path.slice(path.lastIndexOf('.') + 1), path]));
    const names = this.names.filter((name) => !known.includes(name));
    for (const name of names) {
      const near = nearest(name, known);
      const meant = near === undefined ? paths.get(nearest(name, [...paths.keys()]) ?? '') : near;
      if (meant !== undefined) throw this.#unknown(name, `did you mean "${meant}"?`);
    }
    return names.map((name) => [...this.#path, name]);
  }

  /** @throws Misfit for any unknown key. */
  refuseUnknown(known: readonly string[]): void {
    const [path] = this.unknown(known);
    if (path !== undefined)
      throw this.#unknown(path.at(-1) as string, `it knows ${known.join(', ')}`);
  }

  text(name: string): string | undefined {
    const value = this.value(name);
    if (value === undefined || (typeof value === 'string' && value !== '')) return value;
    throw this.misfit([name], 'a text', value);
  }

  count(name: string, least: number): number | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    const count = typeof value === 'bigint' ? Number(value) : Number.NaN;
    if (Number.isSafeInteger(count) && count >= least) return count;
    throw this.misfit([name], `a whole number of at least ${least}`, value);
  }

  /** Does as it is told, and says of what in this table an option was that made no sense. */
  check<T>(names: readonly string[], make: () => T): T {
    try {
      return make();
    } catch (error) {
      if (!(error instanceof HeadgateError)) throw error;
      throw new Misfit([...this.#path, ...names], error.message);
    }
  }

  #unknown(name: string, hint: string): Misfit {
    const [table, key] = [this.#path.join('.'), JSON.stringify(name)];
    const owner = table === '' ? 'the configuration' : `[${table}]`;
    return new Misfit([...this.#path, name], `${owner} has no key ${key}; ${hint}`);
  }

  misfit(names: readonly string[], expected: string, value: unknown): Misfit {
    const path = [...this.#path, ...names];
    return new Misfit(path, invalid(path.join('.'), expected, value).message);
  }
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
