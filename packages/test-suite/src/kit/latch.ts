/** A promise that opens from outside: tests wait for what has happened, not for time. */
export class Latch {
  open!: () => void;
  readonly opened = new Promise<void>((resolve) => {
    this.open = resolve;
  });
}
