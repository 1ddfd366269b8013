import { createLimiter, type LocalLimiter, Waiter } from '@headgate/core';
import { VirtualClock } from '@headgate/test-suite';
import { Registry } from 'prom-client';

class Caller extends Waiter {
  permit: { release(): void } | undefined;
  granted(permit: { release(): void }): void {
    this.permit = permit;
  }
  rejected(): void {}
}

export function call(limiter: LocalLimiter): Caller {
  const caller = new Caller();
  limiter.request(caller);
  return caller;
}

/** The values of all series, as a scrape shows them: `headgate_limit{headgate_limit_name="app"}`. */
export async function scrape(register: Registry): Promise<Record<string, number>> {
  const lines = (await register.metrics()).split('\n').filter((line) => /^[^#]/.test(line));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
  );
}

/** A series without further labels. */
export const of = (name: string, limit: string) =>
  `headgate_${name}{headgate_limit_name="${limit}"}`;
export const outcome = (of: string) =>
  `headgate_requests_total{headgate_limit_name="app",headgate_outcome="${of}"}`;

/** A limit of one, with a queue of one, and a registry of its own. */
export function limited() {
  const clock = new VirtualClock();
  const options = { limit: 1, queueLimit: 1, queueTimeout: 50, maxHold: 500, clock };
  const register = new Registry();
  const limiter = createLimiter({ name: 'app', ...options });
  limiter.observe({ leaked: () => {} });
  return { clock, register, limiter };
}
