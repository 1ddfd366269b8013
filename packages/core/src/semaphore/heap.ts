interface HeapItem {
  due: number;
  /** Its index in the heap. */
  index: number;
}

/** Items by `due`, as a binary heap. */
export class Heap<Item extends HeapItem> {
  readonly #items: Item[] = [];

  get size(): number {
    return this.#items.length;
  }

  get first(): Item | undefined {
    return this.#items[0];
  }

  add(item: Item): void {
    this.#up(item, this.#items.length);
  }

  delete(item: Item): void {
    const last = this.#items.pop() as Item;
    if (last === item) return;
    this.#up(last, item.index);
    this.moveBack(last, last.due);
  }

  #up(item: Item, from: number): void {
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = this.#items[parent] as Item;
      if (above.due <= item.due) break;
      this.#put(above, index);
      index = parent;
    }
    this.#put(item, index);
  }

  /** Moves the item back, since it is due later. */
  moveBack(item: Item, due: number): void {
    item.due = due;
    let { index } = item;
    for (;;) {
      const left = this.#items[2 * index + 1];
      const right = this.#items[2 * index + 2];
      const child = right !== undefined && right.due < (left as Item).due ? right : left;
      if (child === undefined || child.due >= item.due) break;
      const { index: below } = child;
      this.#put(child, index);
      index = below;
    }
    this.#put(item, index);
  }

  #put(item: Item, index: number): void {
    this.#items[index] = item;
    item.index = index;
  }
}
