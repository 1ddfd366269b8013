import { expect, it } from 'vitest';
import { LinkedList } from '../src/linked-list.ts';

class Item {
  older: Item | undefined = undefined;
  newer: Item | undefined = undefined;
}

it('a linked list keeps the order, and removes each item once, wherever it is', () => {
  const list = new LinkedList<Item>();
  const [first, second, third] = [new Item(), new Item(), new Item()] as const;
  for (const item of [first, second, third]) list.add(item);
  expect([...list]).toEqual([first, second, third]);
  expect([list.remove(second), list.remove(second)]).toEqual([true, false]);
  expect([...list]).toEqual([first, third]);
  list.remove(first);
  expect(list.oldest).toBe(third);
  list.remove(third);
  list.add(first);
  expect([...list]).toEqual([first]);
  expect(list.remove(new Item())).toBe(false);
});
