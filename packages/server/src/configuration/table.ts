import { HeadgateError } from '@headgate/core';
import { invalid, nearest } from '@headgate/core/options';

/** An invalid value, and its path in the file. */
export class InvalidValue extends Error {
  constructor(
    readonly path: readonly string[],
    message: string,
  ) {
    // Removes the suffix `n`: whole numbers are parsed as bigints, and TOML has no such suffix.
    super(message.replace(/(, got -?\d+)n$/, '$1'));
  }
}

/** A table of a TOML file, and its path. */
export class Table {
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #path: readonly string[];

  constructor(values: unknown, path: readonly string[] = []) {
    this.#path = path;
    if (!isTable(values)) throw this.invalidValue([], 'a table', values);
    this.#values = values;
  }

  get names(): string[] {
    return Object.keys(this.#values);
  }

  value(name: string): unknown {
    return Object.hasOwn(this.#values, name) ? this.#values[name] : undefined;
  }

  /** Returns an empty table if there is none. */
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
   * @throws InvalidValue for an unknown key that resembles a known one.
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

  /** @throws InvalidValue for any unknown key. */
  refuseUnknown(known: readonly string[]): void {
    const [path] = this.unknown(known);
    if (path !== undefined)
      throw this.#unknown(path.at(-1) as string, `it knows ${known.join(', ')}`);
  }

  text(name: string): string | undefined {
    const value = this.value(name);
    if (value === undefined || (typeof value === 'string' && value !== '')) return value;
    throw this.invalidValue([name], 'a string', value);
  }

  count(name: string, min: number): number | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    const count = typeof value === 'bigint' ? Number(value) : Number.NaN;
    if (Number.isSafeInteger(count) && count >= min) return count;
    throw this.invalidValue([name], `a whole number of at least ${min}`, value);
  }

  /** Calls `make`, and turns a HeadgateError into an `InvalidValue` at this path. */
  check<T>(names: readonly string[], make: () => T): T {
    try {
      return make();
    } catch (error) {
      if (!(error instanceof HeadgateError)) throw error;
      throw new InvalidValue([...this.#path, ...names], error.message);
    }
  }

  #unknown(name: string, hint: string): InvalidValue {
    const [table, key] = [this.#path.join('.'), JSON.stringify(name)];
    const owner = table === '' ? 'the configuration' : `[${table}]`;
    return new InvalidValue([...this.#path, name], `${owner} has no key ${key}; ${hint}`);
  }

  invalidValue(names: readonly string[], expected: string, value: unknown): InvalidValue {
    const path = [...this.#path, ...names];
    return new InvalidValue(path, invalid(path.join('.'), expected, value).message);
  }
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
