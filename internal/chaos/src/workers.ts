import { setTimeout as sleep } from 'node:timers/promises';
import type { Event } from './log/event.ts';
import { stamp } from './log/stamp.ts';
import { Member } from './member.ts';
import { FencedResource } from './resource.ts';
import type { Rng } from './rng.ts';
import { within } from './within.ts';
import type { Plan, WorkerCommand, WorkerMessage, Write } from './worker/messages.ts';
import { WorkerActivity } from './worker-activity.ts';

/** A worker's position; when the worker is killed, its successor takes the slot. */
export interface WorkerSlot {
  readonly slot: number;
  /** Unique to this worker. */
  readonly name: string;
}

export interface WorkersOptions extends Pick<Plan, 'limits' | 'lease' | 'timeout'> {
  readonly size: number;
  /** The file that a worker runs. */
  readonly program: string;
  readonly rng: Rng;
  /** The connection settings that a worker receives. */
  readonly connectionSettings: (worker: WorkerSlot) => unknown;
  readonly note: (event: Event) => void;
}

/** Maximum start time of a process on a busy machine, in milliseconds. */
const MAX_START_TIME = 30_000;

/** The worker processes. A killed worker is replaced by a new one in its slot. */
export class Workers {
  readonly #options: WorkersOptions;
  readonly #members: (Member | undefined)[] = [];
  readonly #activity = new WorkerActivity();
  readonly #resource = new FencedResource();
  readonly #probes = new Map<number, (admitted: boolean) => void>();
  /** The workers that hold permits since the last probe. Other workers may have become ready since. */
  #probed: readonly Member[] = [];
  #count = 0;
  /** Maximum pause of the callers, in milliseconds; undefined while there are none. */
  #pause: number | undefined;
  #closing = false;

  constructor(options: WorkersOptions) {
    this.#options = options;
    for (let slot = 0; slot < options.size; slot++) this.#startWorker(slot);
  }

  /** The workers that are ready and not stopped. */
  get members(): readonly Member[] {
    return this.#members.filter((member) => member?.ready && member.running) as Member[];
  }

  slotOf(member: Member): number {
    return this.#members.indexOf(member);
  }

  /** The name of the worker in that slot now. */
  at(slot: number): string {
    return this.#members[slot]?.name ?? '';
  }

  get holders(): readonly Member[] {
    return this.members.filter(({ name }) => this.#activity.holds(name));
  }

  /** The workers that wait and hold no permit. */
  get waiters(): readonly Member[] {
    const holders = new Set(this.holders);
    return this.members.filter(
      (member) => this.#activity.waits(member.name) && !holders.has(member),
    );
  }

  async allReady(): Promise<void> {
    const until = stamp() + MAX_START_TIME;
    while (this.members.length < this.#options.size) {
      if (stamp() > until) throw new Error(`only ${this.members.length} workers are ready`);
      await sleep(20);
    }
  }

  /** Starts the callers, which pause between calls for at most `pause` milliseconds; undefined stops them. */
  load(pause: number | undefined): void {
    this.#pause = pause;
    for (const member of this.#members) member?.send({ load: pause ?? false });
  }

  sendToAll(command: WorkerCommand): void {
    for (const member of this.members) member.send(command);
  }

  kill(member: Member): void {
    this.#options.note({ kind: 'killed', at: stamp(), worker: member.name });
    member.kill();
  }

  resume(member: Member): void {
    const from = member.resume();
    this.#options.note({ kind: 'paused', at: stamp(), from, worker: member.name });
  }

  /** Requests as many permits as the limit allows, each from another process; returns how many were granted. */
  async probe(limit: number): Promise<number> {
    const members = this.members.slice(0, limit);
    this.#probed = members;
    const answers = await Promise.all(members.map((member) => this.#ask(member, limit, 300)));
    return answers.filter((admitted) => admitted).length;
  }

  /**
   * Kills a worker that has held a permit since `probe`. Resolves to whether another worker gets the permit within
   * `queueTimeout` milliseconds.
   */
  async killAndRecover(limit: number, queueTimeout: number): Promise<boolean> {
    const [killed] = this.#probed;
    const successor = this.members.at(-1);
    if (killed === undefined || successor === undefined) return false;
    const asked = this.#ask(successor, limit, queueTimeout);
    this.kill(killed);
    return asked;
  }

  async close(): Promise<void> {
    this.#closing = true;
    const members = this.#members.filter((member) => member !== undefined);
    await Promise.all(
      members.map((member) => {
        const ended = member.ended();
        this.kill(member);
        return ended;
      }),
    );
  }

  /** Whether the worker acquires a permit within `queueTimeout` milliseconds. It keeps the permit. */
  #ask(member: Member, limit: number, queueTimeout: number): Promise<boolean> {
    const probe = ++this.#count;
    const answer = new Promise<boolean>((resolve) => this.#probes.set(probe, resolve));
    member.send({ probe, limit, queueTimeout });
    return within(queueTimeout + 5_000, 'a probe', answer).catch(() => false);
  }

  #startWorker(slot: number): void {
    const { program, rng, note, limits, lease, timeout } = this.#options;
    const worker = `${slot}.${++this.#count}`;
    const connectionSettings = this.#options.connectionSettings({ slot, name: worker });
    // One clock is an hour ahead, another an hour behind.
    const clock = slot === 1 ? 3_600_000 : slot === 2 ? -3_600_000 : 0;
    const about = { worker, seed: rng.below(2 ** 31), connectionSettings, clock };
    const plan = { ...about, limits, lease, timeout, callers: 3 };
    const member = new Member(program, plan, (message, from) => this.#receive(message, from));
    this.#members[slot] = member;
    void member.ended().then((how) => {
      note({ kind: 'exited', at: stamp(), worker, how });
      if (!this.#closing) this.#startWorker(slot);
    });
  }

  #receive(message: WorkerMessage, member: Member): void {
    if ('ready' in message) {
      member.ready = true;
      if (this.#pause !== undefined) member.send({ load: this.#pause });
    } else if ('event' in message) {
      this.#activity.update(message.event);
      this.#options.note(message.event);
    } else if ('write' in message) {
      this.#write(message, member);
    } else {
      this.#probes.get(message.probed)?.(message.admitted);
    }
  }

  #write({ write, worker, limit, call, from, fencing }: Write, member: Member): void {
    const accepted = this.#resource.write(fencing);
    const about = { worker, limit, call, from, fencing, accepted };
    this.#options.note({ kind: 'wrote', at: stamp(), ...about });
    member.send({ written: write });
  }
}
