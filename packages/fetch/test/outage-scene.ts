import { setImmediate as turn } from 'node:timers/promises';
import { VirtualClock } from '@headgate/test-suite';
import { type LimitedFetch, limitFetch } from '../src/index.ts';

type LimitFetchOptions = Parameters<typeof limitFetch>[1];

/**
 * How a server without a limit of its own fails: it answers 503 at once, or does so to a fifth of the requests; it
 * accepts requests and works them off later; or it takes ten times as long.
 */
export type Outage = 'errors' | 'flaky' | 'hang' | 'slow';

/** The workers of the server, how long each request takes on average, and the part of that capacity that is asked for. */
const [WORKERS, WORK, LOAD] = [4, 40, 0.9];
const [BEGIN, END, LAST] = [20_000, 50_000, 120_000];
/** How long a caller waits. */
const PATIENCE = 10_000;
const PROCESSES = 10;

/** A server with a queue that it never sheds: it also works for callers that have left. */
class Server {
  attempts = 0;
  isDown = false;
  #running = 0;
  readonly #queue: ((response: Response) => void)[] = [];

  constructor(
    private readonly outage: Outage,
    private readonly clock: VirtualClock,
  ) {}

  readonly fetch = (_input: unknown, init?: { signal?: AbortSignal | null | undefined }) =>
    new Promise<Response>((resolve, reject) => {
      const { signal } = init ?? {};
      if (signal?.aborted) return reject(signal.reason);
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      this.attempts++;
      if (this.fails()) resolve(new Response(null, { status: 503 }));
      else {
        this.#queue.push(resolve);
        this.work();
      }
    });

  private fails(): boolean {
    if (!this.isDown) return false;
    return this.outage === 'errors' || (this.outage === 'flaky' && this.clock.random() < 0.2);
  }

  work(): void {
    if (this.isDown && this.outage === 'hang') return;
    while (this.#running < WORKERS && this.#queue.length > 0) {
      const answer = this.#queue.shift();
      this.#running++;
      this.clock.setTimeout(() => {
        this.#running--;
        answer?.(new Response(null));
        this.work();
      }, this.#duration());
    }
  }

  #duration(): number {
    const slow = this.isDown && this.outage === 'slow' ? 10 : 1;
    return -slow * WORK * Math.log(1 - this.clock.random());
  }
}

/** What the callers of one second have got. */
interface Second {
  called: number;
  answered: number;
}

export interface Result {
  /** Requests that the server has received, per call, during the outage. */
  readonly attempts: number;
  /** Seconds after the outage from which 95 % of the calls of every second are answered; Infinity if never. */
  readonly recovery: number;
  /** Parts of the calls that were answered before, during and after the outage; after: from five seconds on. */
  readonly before: number;
  readonly during: number;
  readonly after: number;
  readonly held: number;
}

/** Ten processes call one server, which fails for thirty seconds. */
export async function outage(kind: Outage, options: LimitFetchOptions): Promise<Result> {
  const clock = new VirtualClock({ start: 0, random: randomFrom(5) });
  const server = new Server(kind, clock);
  const clients = Array.from({ length: PROCESSES }, () =>
    limitFetch(server.fetch, { timeout: PATIENCE, tryTimeout: 2_000, clock, ...options }),
  );
  const seconds = Array.from({ length: LAST / 1_000 }, () => ({ called: 0, answered: 0 }));
  let during = 0;
  const call = async () => {
    const second = seconds[Math.floor(clock.now() / 1_000)] as Second;
    second.called++;
    const client = clients[Math.floor(clock.random() * PROCESSES)] as LimitedFetch;
    const response = await client('http://server/').catch(() => undefined);
    if (response?.ok) second.answered++;
  };
  const arrive = () => {
    if (clock.now() >= LAST) return;
    void call();
    clock.setTimeout(arrive, (-WORK * Math.log(1 - clock.random())) / WORKERS / LOAD);
  };
  clock.setTimeout(arrive, 0);
  clock.setTimeout(() => {
    server.isDown = true;
    server.attempts = 0;
  }, BEGIN);
  clock.setTimeout(() => {
    server.isDown = false;
    during = server.attempts;
    server.work();
  }, END);
  await runAll(clock);
  const held = clients.flatMap((client) => client.stats()).map(({ holders }) => holders);
  return {
    attempts: during / sum(seconds.slice(BEGIN / 1_000, END / 1_000), 'called'),
    recovery: recoveryOf(seconds.slice(END / 1_000)),
    before: answered(seconds.slice(0, BEGIN / 1_000)),
    during: answered(seconds.slice(BEGIN / 1_000, END / 1_000)),
    after: answered(seconds.slice(END / 1_000 + 5)),
    held: held.reduce((all, one) => all + one, 0),
  };
}

/** Promises settle between two timers, some in a later iteration of the event loop. */
export async function runAll(clock: VirtualClock): Promise<void> {
  while (clock.due < Infinity) {
    clock.advance(clock.due - clock.now());
    await turn();
    await turn();
  }
}

function recoveryOf(seconds: readonly Second[]): number {
  const last = seconds.findLastIndex(({ called, answered }) => answered < 0.95 * called);
  return last + 1 === seconds.length ? Infinity : last + 1;
}

function answered(seconds: readonly Second[]): number {
  return sum(seconds, 'answered') / sum(seconds, 'called');
}

function sum(seconds: readonly Second[], name: keyof Second): number {
  return seconds.reduce((all, second) => all + second[name], 0);
}

/** A linear congruential generator. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
