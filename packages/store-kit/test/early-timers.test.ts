import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import { CircuitBreaker } from '../src/availability/circuit-breaker.ts';

/** As in Node, whose timers take whole milliseconds and may fire up to a millisecond early. */
class EarlyClock extends VirtualClock {
  override setTimeout(callback: () => void, delay: number) {
    return super.setTimeout(callback, delay - 0.5);
  }
}

it('a probe without an outcome is repeated even if the timer fires early', () => {
  const clock = new EarlyClock();
  let probes = 0;
  const store = {
    clock,
    timeout: 100,
    stats: () => {
      probes++;
      return new Promise(() => {});
    },
  };
  const settings = { name: 'renders', observers: {} };
  const breaker = new CircuitBreaker(settings as never, store as never, {} as never, () => {});
  void breaker.probe();
  clock.advance(1_000);
  expect(probes).toBe(4);
});
