/** An item of a linked list. */
export interface Linked<T> {
  /** The neighbours in the list; undefined at its ends and outside of it. */
  older: T | undefined;
  newer: T | undefined;
}

/**
 * Items in the order in which they were added. An item can be in one list at a time. For requests, which the outgrown
 * tables of a Set would keep alive after their end, with their sockets (docs/decisions/0008).
 */
export class LinkedList<T extends Linked<T>> {
  oldest: T | undefined = undefined;
  private newest: T | undefined = undefined;

  add(item: T): void {
    const { newest } = this;
    item.older = newest;
    item.newer = undefined;
    if (newest === undefined) this.oldest = item;
    else newest.newer = item;
    this.newest = item;
  }

  /** Returns whether it was in the list. */
  remove(item: T): boolean {
    const { older, newer } = item;
    if (older === undefined && this.oldest !== item) return false;
    if (older === undefined) this.oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.newest = older;
    else newer.older = older;
    item.older = undefined;
    item.newer = undefined;
    return true;
  }

  *[Symbol.iterator](): Generator<T> {
    for (let item = this.oldest; item !== undefined; item = item.newer) yield item;
  }
}
