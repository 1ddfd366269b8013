import type fc from 'fast-check';

/** A step, after which everything must be in order. */
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

/** One of the list, where there is any. */
export function pick<T>(list: readonly T[], index: number): T | undefined {
  return list[index % Math.max(1, list.length)];
}
