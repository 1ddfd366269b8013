import { VirtualClock } from '@headgate/test-suite';
import {
  createGate,
  type GateOptions,
  type Guard,
  type Priority,
  type Rejection,
} from '../../src/index.ts';

/** Rejects the priorities that the test sets, and records each call. */
class RecordingGuard implements Guard {
  readonly name = 'sentry';
  readonly asked: Priority[] = [];
  rejects: Priority[] = [];

  admits(priority: Priority): boolean {
    this.asked.push(priority);
    return !this.rejects.includes(priority);
  }
}

/** A gate of one limit, and its guard. */
export function guarded(options: Partial<GateOptions> = {}) {
  const guard = new RecordingGuard();
  const reports: { rejection: Rejection; shadow: boolean; name: string }[] = [];
  const observer = { rejected: (event: (typeof reports)[number]) => reports.push(event) };
  const clock = new VirtualClock({ random: () => 0 });
  const limits = [{ name: 'app', limit: 1 }];
  const gate = createGate({ limits, guard, clock, ...options });
  gate.observe(observer);
  return { guard, reports, gate };
}
