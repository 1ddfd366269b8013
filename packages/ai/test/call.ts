import { Latch } from '@headgate/test-suite';

/** What the SDK passes to the handler of a tool without arguments. */
export interface Call {
  readonly signal: AbortSignal;
  readonly sessionId?: string;
  readonly _meta?: { readonly progressToken: number };
  readonly sendNotification: (notification: object) => Promise<void>;
}

export function callOf(fields: Partial<Call> = {}): Call {
  const { signal } = new AbortController();
  return { signal, sendNotification: async () => {}, ...fields };
}

/** A handler that runs until the test opens its latch. */
export function paused() {
  const latch = new Latch();
  const signals: AbortSignal[] = [];
  const handler = async ({ signal }: Call) => {
    signals.push(signal);
    await latch.opened;
    return 'done';
  };
  return { handler, signals, finish: latch.open };
}
