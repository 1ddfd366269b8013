/** A map whose entries live for at least `span` milliseconds. Older entries are removed by a later `set`. */
export class TtlMap<V> {
  readonly #span: number;
  #now = new Map<string, V>();
  #before = new Map<string, V>();
  #turned = performance.now();

  constructor(span: number) {
    this.#span = span;
  }

  get(key: string): V | undefined {
    return this.#now.get(key) ?? this.#before.get(key);
  }

  set(key: string, value: V): void {
    const now = performance.now();
    if (now - this.#turned >= this.#span) {
      this.#before = now - this.#turned < 2 * this.#span ? this.#now : new Map();
      this.#now = new Map();
      this.#turned = now;
    }
    this.#now.set(key, value);
  }

  delete(key: string): void {
    this.#now.delete(key);
    this.#before.delete(key);
  }
}
