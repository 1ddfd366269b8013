import { HeadgateError, invalid } from '@headgate/core/shared';

/** An invalid value, and its path in the file. */
export class InvalidValue extends Error {
  constructor(
    readonly path: readonly string[],
    message: string,
  ) {
    super(message);
  }
}

/** A table of a TOML file, and its path. */
export class Table {
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #path: readonly string[];

  constructor(values: unknown, path: readonly string[] = []) {
    this.#path = path;
    const isTable = typeof values === 'object' && values !== null && !Array.isArray(values);
    if (!isTable) throw this.invalidValue([], 'a table', values);
    this.#values = values as Readonly<Record<string, unknown>>;
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

  invalidValue(names: readonly string[], expected: string, value: unknown): InvalidValue {
    const path = [...this.#path, ...names];
    return new InvalidValue(path, invalid(path.join('.'), expected, value).message);
  }
}
