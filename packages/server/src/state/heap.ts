/** A binary min-heap, with `add` and `delete` of any item in O(log n). */
export class Heap<T> {
  readonly #items: T[] = [];
  readonly #places = new Map<T, number>();

  constructor(private readonly rank: (item: T) => number) {}

  get size(): number {
    return this.#items.length;
  }

  /** The item of the lowest rank. */
  get first(): T | undefined {
    return this.#items[0];
  }

  /** Adds an item, or moves it after its rank has changed. */
  add(item: T): void {
    this.#settle(item, this.#places.get(item) ?? this.#items.length);
  }

  delete(item: T): void {
    const place = this.#places.get(item);
    if (place === undefined) return;
    this.#places.delete(item);
    const last = this.#items.pop() as T;
    if (last !== item) this.#settle(last, place);
  }

  /** Moves the item from this index to its position. */
  #settle(item: T, from: number): void {
    let place = from;
    const rank = this.rank(item);
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = this.#items[parent] as T;
      if (this.rank(above) <= rank) break;
      this.#put(above, place);
      place = parent;
    }
    for (let child = this.#lesserChild(place); child !== undefined; ) {
      const below = this.#items[child] as T;
      if (this.rank(below) >= rank) break;
      this.#put(below, place);
      place = child;
      child = this.#lesserChild(place);
    }
    this.#put(item, place);
  }

  #lesserChild(place: number): number | undefined {
    const left = 2 * place + 1;
    const right = left + 1;
    if (left >= this.#items.length) return undefined;
    if (right >= this.#items.length) return left;
    return this.rank(this.#items[right] as T) < this.rank(this.#items[left] as T) ? right : left;
  }

  #put(item: T, place: number): void {
    this.#items[place] = item;
    this.#places.set(item, place);
  }
}
