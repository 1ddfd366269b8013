/** Counts by name. A name whose count is 0 is absent. */
export class Counts {
  readonly #counts = new Map<string, number>();

  names(): string[] {
    return [...this.#counts.keys()];
  }

  get(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  add(name: string, by: number): void {
    const count = this.get(name) + by;
    if (count === 0) this.#counts.delete(name);
    else this.#counts.set(name, count);
  }
}
