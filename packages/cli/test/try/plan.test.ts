import { expect, it } from 'vitest';
import { planFor } from '../../src/try/plan.ts';

/** A server with this capacity, whose requests take 50 ms alone. `cost`: see `ClosedLoad`. */
const serverOf =
  (capacity: number, cost = 0.1) =>
  async (clients: number) => {
    const rate = Math.min(capacity, clients * 20);
    const outcomes = { answered: 100, rejected: 0, gaveUp: 0, failed: 0 };
    return { rate, cost, times: [50], outcomes };
  };

it('takes as many clients as use the whole capacity, and five times the capacity', async () => {
  expect(await planFor(serverOf(100))).toEqual({ clients: 8, multiple: 5, timeout: 1_000 });
  expect(await planFor(serverOf(500))).toEqual({ clients: 32, multiple: 5, timeout: 1_000 });
});

it('takes a lower multiple if the generator cannot send more', async () => {
  expect((await planFor(serverOf(2_000))).multiple).toBe(3.5);
});

it('is refused for a server that this machine cannot overload', async () => {
  await expect(planFor(serverOf(2_500, 0.2))).rejects.toThrow(
    /a request takes 0\.4 ms .*which cannot overload it/,
  );
  await expect(planFor(serverOf(1e9, 0))).rejects.toThrow(/nothing in it is scarce/);
});
