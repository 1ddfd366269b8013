/** A promise that the test resolves. With it, tests wait for events and not for time. */
export class Latch {
  /** Resolves `opened`. */
  open!: () => void;
  /** Pending until `open` is called. */
  readonly opened = new Promise<void>((resolve) => {
    this.open = resolve;
  });
}
