import type { Line } from '../line.ts';
import type { Waiter } from '../waiter.ts';

/** In which order a line is served, and whom it gives up. Times are milliseconds of the limiter's clock. */
export interface Order {
  /** Who is let in next. */
  next(line: Line, now: number): Waiter | undefined;
  /** Who makes room for a newcomer where the line is full; undefined: the newcomer is turned away. */
  spare(line: Line, now: number): Waiter | undefined;
  /** Who has waited for so long that others are better served, though its own time is not up. */
  stale(line: Line, now: number): Waiter | undefined;
}

/** Makes the order of a line, of which a limiter has one for each key. */
export interface OrderFactory {
  create(): Order;
}
