import type { Answer, LeaseRequest, Op, Store } from '@headgate/core/distributed';
import type { Span } from '../log/event.ts';
import { stamp } from '../log/stamp.ts';
import { note } from './say.ts';

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
  const waits = new Map<string, Waiting>();
  const leave = (wait: Waiting, entered?: number) => {
    const { id, seen, asked } = wait;
    const span =
      entered === undefined ? undefined : { from: seen.at(-1)?.from ?? asked, to: entered };
    waits.delete(id);
    note({ kind: 'waited', at: stamp(), worker, ...wait, entered: span });
  };
  const follow = (op: Op, answer: Answer | undefined, asked: Span) => {
    if (op.verb === 'setLimit' || answer === undefined || 'error' in answer) return;
    const wait = waits.get(op.lease.id);
    if (wait === undefined) return;
    if (answer.state === 'queued') {
      if (store.can.place ? changes(wait, answer.place) : answer.place !== undefined)
        moved(worker, wait, answer.place);
      wait.place = answer.place;
      wait.seen.push(asked);
    } else {
      leave(wait, answer.state === 'held' ? asked.to : undefined);
    }
  };
  const send = store.send.bind(store);
  store.send = async (ops, timeout) => {
    const from = stamp();
    for (const op of ops) begin(waits, op, from, leave);
    const answers = await send(ops, timeout);
    const asked = { from, to: stamp() };
    for (const [i, op] of ops.entries()) follow(op, answers[i], asked);
    return answers;
  };
  const listen = store.listen.bind(store);
  store.listen = (listener) =>
    listen({
      grant: (grant) => {
        const wait = waits.get(grant.id);
        if (wait !== undefined) leave(wait, stamp());
        listener.grant(grant);
      },
      recall: (ref) => listener.recall(ref),
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

function begin(
  waits: Map<string, Waiting>,
  op: Op,
  now: number,
  leave: (wait: Waiting) => void,
): void {
  if (op.verb === 'setLimit') return;
  const known = waits.get(op.lease.id);
  if (op.verb === 'acquire' && known === undefined) waits.set(op.lease.id, waiting(op.lease, now));
  if (op.verb === 'release' && known !== undefined) leave(known);
}

function waiting({ id, ref, place, wait }: LeaseRequest, asked: number): Waiting {
  const limit = Number(ref.name.split('-')[1]);
  return { id, limit, asked, deadline: asked + wait, place, seen: [] };
}

/** Whether the new queue position differs from the former one, or is missing. */
function changes({ place }: Waiting, to: string | undefined): boolean {
  return to === undefined || (place !== undefined && place !== to);
}

function moved(worker: string, { id, place }: Waiting, to: string | undefined): void {
  const what = `${id} moved in the queue from ${place} to ${to}`;
  note({ kind: 'failed', at: stamp(), worker, what });
}
