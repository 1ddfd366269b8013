import type { Answer, LeaseRequest, LimitName, Op, Store } from '@headgate/store-kit';
import type { Span } from '../log/event.ts';
import { stamp } from '../log/stamp.ts';
import { neverOperated, operatedLimit } from '../operated-limit.ts';
import { note } from './send.ts';

interface Waiting {
  readonly limit: number;
  readonly id: string;
  readonly asked: number;
  readonly deadline: number;
  place: string | undefined;
  readonly seen: Span[];
}

/**
 * Records the store's answers about each wait: its queue position, when it was certainly queued, and when it was
 * granted.
 */
export function watchWaits(store: Store, worker: string): Store {
  const waits = new Waits(worker);
  const send = store.send.bind(store);
  store.send = async (ops, timeout) => {
    const from = stamp();
    for (const op of ops) waits.requested(op, from);
    const answers = await send(ops, timeout);
    const asked = { from, to: stamp() };
    noteLimits(worker, ops, answers, from);
    for (const [i, op] of ops.entries()) waits.answered(op, answers[i], asked);
    return answers;
  };
  const listen = store.listen.bind(store);
  store.listen = (listener) =>
    listen({
      grant: (grant) => {
        waits.granted(grant.id);
        listener.grant(grant);
      },
      recall: (ref) => listener.recall(ref),
      operated: (ref) => listener.operated?.(ref),
      check: () => listener.check(),
      state: (up, error) => listener.state(up, error),
      muted: (error) => listener.muted?.(error),
      slowed: (reason) => listener.slowed?.(reason),
      get isWaiting() {
        return listener.isWaiting === true;
      },
    });
  return store;
}

/** Records how a limit is operated, as the store answers. */
function noteLimits(
  worker: string,
  ops: readonly Op[],
  answers: readonly Answer[],
  from: number,
): void {
  for (const [i, op] of ops.entries()) {
    const limit = limitOf(op.verb === 'declare' ? op.ref : op.lease.ref);
    const answer = answers[i];
    if (limit !== operatedLimit || answer === undefined || 'error' in answer) continue;
    const { limit: value, version: valueVersion, operated = neverOperated } = answer;
    note({ kind: 'answered', at: stamp(), from, worker, limit, value, valueVersion, operated });
  }
}

class Waits {
  readonly #waits = new Map<string, Waiting>();

  constructor(private readonly worker: string) {}

  requested(op: Op, now: number): void {
    if (op.verb === 'declare') return;
    const { id } = op.lease;
    const known = this.#waits.get(id);
    if (op.verb === 'acquire' && known === undefined) this.#waits.set(id, waiting(op.lease, now));
    if (op.verb === 'release' && known !== undefined) this.#end(known);
  }

  answered(op: Op, answer: Answer | undefined, asked: Span): void {
    if (op.verb === 'declare' || answer === undefined || 'error' in answer) return;
    const wait = this.#waits.get(op.lease.id);
    if (wait === undefined) return;
    if (answer.state !== 'queued') {
      this.#end(wait, answer.state === 'held' ? asked.to : undefined);
      return;
    }
    if (changes(wait, answer.place)) moved(this.worker, wait, answer.place);
    wait.place = answer.place;
    wait.seen.push(asked);
  }

  granted(id: string): void {
    const wait = this.#waits.get(id);
    if (wait !== undefined) this.#end(wait, stamp());
  }

  #end(wait: Waiting, grantedAt?: number): void {
    const { id, seen, asked } = wait;
    this.#waits.delete(id);
    const from = seen.at(-1)?.from ?? asked;
    const entered = grantedAt === undefined ? undefined : { from, to: grantedAt };
    note({ kind: 'waited', at: stamp(), worker: this.worker, ...wait, entered });
  }
}

function waiting({ id, ref, place, wait }: LeaseRequest, asked: number): Waiting {
  return { id, limit: limitOf(ref), asked, deadline: asked + wait, place, seen: [] };
}

function limitOf({ name }: LimitName): number {
  return Number(name.split('-')[1]);
}

/** Whether the new queue position differs from the former one, or is missing. */
function changes({ place }: Waiting, to: string | undefined): boolean {
  return to === undefined || (place !== undefined && place !== to);
}

function moved(worker: string, { id, place }: Waiting, to: string | undefined): void {
  const what = `${id} moved in the queue from ${place} to ${to}`;
  note({ kind: 'failed', at: stamp(), worker, what });
}
