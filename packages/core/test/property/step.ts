import type fc from 'fast-check';

/** A step, after which all invariants must hold. */
export class Step<S extends { settle(): void }> implements fc.Command<object, S> {
  static taken = 0;

  constructor(
    private readonly name: string,
    private readonly act: (scene: S) => unknown,
  ) {}

  check(): boolean {
    return true;
  }

  run(_: object, scene: S): void {
    Step.taken++;
    this.act(scene);
    scene.settle();
  }

  toString(): string {
    return this.name;
  }
}

/** An item of the list, or undefined if it is empty. */
export function pick<T>(list: readonly T[], index: number): T | undefined {
  return list[index % Math.max(1, list.length)];
}
