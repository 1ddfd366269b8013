const Real = Date;
let off = 0;

/** Simulates a change of the machine's clock: from now on `Date` is off by `ms` milliseconds. */
export function shiftClock(ms: number): void {
  off = ms;
  globalThis.Date = class extends Real {
    constructor(...args: unknown[]) {
      if (args.length === 0) super(Real.now() + off);
      else super(...(args as [number]));
    }

    static override now(): number {
      return Real.now() + off;
    }
  } as DateConstructor;
}
