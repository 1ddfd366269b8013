import { HeadgateError, invalid } from '@headgate/core/shared';

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
    const isTable = typeof values === 'object' && values !== null && !Array.isArray(values);
    if (!isTable) throw this.misfit([], 'a table', values);
    this.#values = values as Readonly<Record<string, unknown>>;
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

  misfit(names: readonly string[], expected: string, value: unknown): Misfit {
    const path = [...this.#path, ...names];
    return new Misfit(path, invalid(path.join('.'), expected, value).message);
  }
}
