import { setTimeout as sleep } from 'node:timers/promises';
import type { Dice } from './dice.ts';
import type { Place } from './ground.ts';
import type { Event } from './log/event.ts';
import { stamp } from './log/stamp.ts';
import { Member } from './member.ts';
import { Presence } from './presence.ts';
import { FencedResource } from './resource.ts';
import { within } from './within.ts';
import type { Order, Plan, Said, Write } from './worker/plan.ts';

export interface CrewOptions extends Pick<Plan, 'limits' | 'lease' | 'timeout'> {
  readonly size: number;
  /** The file that a worker runs. */
  readonly program: string;
  readonly dice: Dice;
  /** What a worker is told of its way to the store. */
  readonly way: (worker: Place) => unknown;
  readonly note: (event: Event) => void;
}

/** Milliseconds that a process may take to start, on a busy machine. */
const patience = 30_000;

/** The worker processes; another takes the place of each that is killed. */
export class Crew {
  readonly #options: CrewOptions;
  readonly #members: (Member | undefined)[] = [];
  readonly #presence = new Presence();
  readonly #resource = new FencedResource();
  readonly #probes = new Map<number, (admitted: boolean) => void>();
  #count = 0;
  /** Of the callers; undefined where there are none. */
  #pause: number | undefined;
  #closing = false;

  constructor(options: CrewOptions) {
    this.#options = options;
    for (let slot = 0; slot < options.size; slot++) this.#hire(slot);
  }

  /** Those which are ready and not stopped. */
  get members(): readonly Member[] {
    return this.#members.filter((member) => member?.ready && member.running) as Member[];
  }

  /** The number of the place that it has taken. */
  slotOf(member: Member): number {
    return this.#members.indexOf(member);
  }

  /** Who has that place now. */
  at(slot: number): string {
    return this.#members[slot]?.name ?? '';
  }

  get holders(): readonly Member[] {
    return this.members.filter(({ name }) => this.#presence.holds(name));
  }

  /** Those which wait, and hold nothing. */
  get waiters(): readonly Member[] {
    const holders = new Set(this.holders);
    return this.members.filter(
      (member) => this.#presence.waits(member.name) && !holders.has(member),
    );
  }

  async allReady(): Promise<void> {
    const until = stamp() + patience;
    while (this.members.length < this.#options.size) {
      if (stamp() > until) throw new Error(`only ${this.members.length} workers are ready`);
      await sleep(20);
    }
  }

  /** Callers ask for permits from now on, with pauses of so many milliseconds at most; or stop. */
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

  /** How many of as many permits as the limit allows are had at once, by as many processes. */
  async probe(limit: number): Promise<number> {
    const members = this.members.slice(0, limit);
    const answers = await Promise.all(members.map((member) => this.#ask(member, limit, 300)));
    return answers.filter((admitted) => admitted).length;
  }

  /** Kills one that has a permit since `probe`; resolves to whether another one gets it within so many milliseconds. */
  async inherit(limit: number, patience: number): Promise<boolean> {
    const [dead, heir] = [this.members[0], this.members.at(-1)];
    if (dead === undefined || heir === undefined) return false;
    const asked = this.#ask(heir, limit, patience);
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

  /** Whether the worker gets a permit within so many milliseconds, which it keeps. */
  #ask(member: Member, limit: number, patience: number): Promise<boolean> {
    const probe = ++this.#count;
    const answer = new Promise<boolean>((resolve) => this.#probes.set(probe, resolve));
    member.tell({ probe, limit, patience });
    return within(patience + 5_000, 'a probe', answer).catch(() => false);
  }

  #hire(slot: number): void {
    const { program, dice, note, limits, lease, timeout } = this.#options;
    const worker = `${slot}.${++this.#count}`;
    const way = this.#options.way({ slot, name: worker });
    // One is an hour ahead, one an hour behind.
    const clock = slot === 1 ? 3_600_000 : slot === 2 ? -3_600_000 : 0;
    const about = { worker, seed: dice.below(2 ** 31), way, clock };
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
