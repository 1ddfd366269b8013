import { setTimeout as sleep } from 'node:timers/promises';
import type { Rng } from './dice.ts';
import type { Place } from './ground.ts';
import type { Event } from './log/event.ts';
import { stamp } from './log/stamp.ts';
import { Member } from './member.ts';
import { Presence } from './presence.ts';
import { FencedResource } from './resource.ts';
import { within } from './within.ts';
import type { Order, Plan, Said, Write } from './worker/plan.ts';

export interface WorkersOptions extends Pick<Plan, 'limits' | 'lease' | 'timeout'> {
  readonly size: number;
  /** The file that a worker runs. */
  readonly program: string;
  readonly rng: Rng;
  /** The connection settings that a worker receives. */
  readonly way: (worker: Place) => unknown;
  readonly note: (event: Event) => void;
}

/** Maximum start time of a process on a busy machine, in milliseconds. */
const MAX_START_TIME = 30_000;

/** The worker processes. A killed worker is replaced by a new one in its slot. */
export class Workers {
  readonly #options: WorkersOptions;
  readonly #members: (Member | undefined)[] = [];
  readonly #presence = new Presence();
  readonly #resource = new FencedResource();
  readonly #probes = new Map<number, (admitted: boolean) => void>();
  #count = 0;
  /** Maximum pause of the callers, in milliseconds; undefined while there are none. */
  #pause: number | undefined;
  #closing = false;

  constructor(options: WorkersOptions) {
    this.#options = options;
    for (let slot = 0; slot < options.size; slot++) this.#hire(slot);
  }

  /** The workers that are ready and not stopped. */
  get members(): readonly Member[] {
    return this.#members.filter((member) => member?.ready && member.running) as Member[];
  }

  /** The worker's slot. */
  slotOf(member: Member): number {
    return this.#members.indexOf(member);
  }

  /** The name of the worker in that slot now. */
  at(slot: number): string {
    return this.#members[slot]?.name ?? '';
  }

  get holders(): readonly Member[] {
    return this.members.filter(({ name }) => this.#presence.holds(name));
  }

  /** The workers that wait and hold no permit. */
  get waiters(): readonly Member[] {
    const holders = new Set(this.holders);
    return this.members.filter(
      (member) => this.#presence.waits(member.name) && !holders.has(member),
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
    for (const member of this.#members) member?.tell({ load: pause ?? false });
  }

  tellAll(order: Order): void {
    for (const member of this.members) member.tell(order);
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
    const answers = await Promise.all(members.map((member) => this.#ask(member, limit, 300)));
    return answers.filter((admitted) => admitted).length;
  }

  /**
   * Kills a worker that has held a permit since `probe`; resolves to whether another one gets it within `patience`
   * milliseconds.
   */
  async inherit(limit: number, patience: number): Promise<boolean> {
    const [dead, successor] = [this.members[0], this.members.at(-1)];
    if (dead === undefined || successor === undefined) return false;
    const asked = this.#ask(successor, limit, patience);
    this.kill(dead);
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

  /** Whether the worker acquires a permit within `patience` milliseconds. It keeps the permit. */
  #ask(member: Member, limit: number, patience: number): Promise<boolean> {
    const probe = ++this.#count;
    const answer = new Promise<boolean>((resolve) => this.#probes.set(probe, resolve));
    member.tell({ probe, limit, patience });
    return within(patience + 5_000, 'a probe', answer).catch(() => false);
  }

  #hire(slot: number): void {
    const { program, rng, note, limits, lease, timeout } = this.#options;
    const worker = `${slot}.${++this.#count}`;
    const way = this.#options.way({ slot, name: worker });
    // One clock is an hour ahead, another an hour behind.
    const clock = slot === 1 ? 3_600_000 : slot === 2 ? -3_600_000 : 0;
    const about = { worker, seed: rng.below(2 ** 31), way, clock };
    const plan = { ...about, limits, lease, timeout, callers: 3 };
    const member = new Member(program, plan, (said, from) => this.#hear(said, from));
    this.#members[slot] = member;
    void member.ended().then((how) => {
      note({ kind: 'exited', at: stamp(), worker, how });
      if (!this.#closing) this.#hire(slot);
    });
  }

  #hear(said: Said, member: Member): void {
    if ('ready' in said) {
      member.ready = true;
      if (this.#pause !== undefined) member.tell({ load: this.#pause });
    } else if ('event' in said) {
      this.#presence.hear(said.event);
      this.#options.note(said.event);
    } else if ('write' in said) {
      this.#write(said, member);
    } else {
      this.#probes.get(said.probed)?.(said.admitted);
    }
  }

  #write({ write, worker, limit, call, from, fencing }: Write, member: Member): void {
    const accepted = this.#resource.write(fencing);
    const about = { worker, limit, call, from, fencing, accepted };
    this.#options.note({ kind: 'wrote', at: stamp(), ...about });
    member.tell({ written: write });
  }
}
