/** A promise that the test resolves: tests wait for events, not for time. */
export class Latch {
  open!: () => void;
  readonly opened = new Promise<void>((resolve) => {
    this.open = resolve;
  });
}
