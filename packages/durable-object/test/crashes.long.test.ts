import { startWorkerd, type WorkerdServer } from '@headgate/test-servers';
import { Call, until } from '@headgate/test-suite';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Participant } from './participant.ts';
import { RunningObjects } from './running-objects.ts';

const SHORT_LEASE_MS = 1_500;
const long = { wait: 60_000 };

describe('Durable Objects that crash', { timeout: 60_000 }, () => {
  let objects: RunningObjects;
  const participants: Participant[] = [];
  let limits = 0;

  beforeAll(async () => {
    objects = await RunningObjects.start();
  });
  afterEach(async () => {
    for (const { store } of participants.splice(0)) await store.close();
  });
  afterAll(() => objects.stop());

  /** Participants in one limit of 1, with leases of these durations. */
  function inOneLimit(...leases: number[]): Participant[] {
    const limit = { name: `limit ${limits++}` };
    const made = leases.map((lease) => new Participant(objects, limit, lease));
    participants.push(...made);
    return made;
  }

  it('keep their leases, their queue and their tokens on disk', async () => {
    const [one, two] = inOneLimit(60_000, 60_000) as [Participant, Participant];
    const held = await one.do('acquire', 'held');
    const { place } = await two.do('acquire', 'first', long);
    await objects.server.restart();
    await until(() => two.checks > 0);
    expect(await one.stats()).toMatchObject({ limit: 1, inflight: 1, holders: 1, queued: 1 });
    expect(await one.do('acquire', 'second', long)).toMatchObject({ state: 'queued', queued: 2 });
    const { fencing } = held;
    expect(await one.do('renew', 'held', { fencing })).toMatchObject({ state: 'held', fencing });
    expect(await two.do('stay', 'first', { ...long, place })).toMatchObject({ state: 'queued' });
    await one.do('release', 'held', { fencing });
    await until(() => two.grants.length > 0);
    const [grant] = two.grants;
    expect(grant?.id).toBe(two.id('first'));
    expect(grant?.fencing).toBeGreaterThan(fencing as bigint);
    expect(one.grants).toEqual([]);
  });

  it('grant their waiters after a restart, without another request', async () => {
    const [dying, waiting] = inOneLimit(SHORT_LEASE_MS, 60_000) as [Participant, Participant];
    await dying.do('acquire', 'held');
    const { place } = await waiting.do('acquire', 'waiting', long);
    await objects.server.restart();
    const { state } = await waiting.do('stay', 'waiting', { ...long, place });
    // The lease may have expired during the restart.
    if (state === 'queued') await until(() => waiting.grants.length > 0);
    expect(await waiting.stats()).toMatchObject({ inflight: 1, queued: 0 });
    expect((await dying.do('release', 'held')).state).toBe('lost');
  });

  it('end the leases of an isolate that has died, and grant the permits to others by an alarm', async () => {
    const holder: WorkerdServer = await startWorkerd({
      app: {
        program: new URL('workers/remote-app.ts', import.meta.url),
        flags: ['enable_request_signal'],
        bindings: { OBJECTS: objects.server.port() },
      },
    });
    const waiting = new Participant(objects, { name: 'work' });
    participants.push(waiting);
    const call = new Call(holder.port(), '/', {});
    call.response.catch(() => {});
    while ((await waiting.stats()).inflight === 0) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect((await waiting.do('acquire', 'waiting', long)).state).toBe('queued');
    await holder.stop();
    await until(() => waiting.grants.length > 0);
    expect(waiting.checks).toBe(0);
    expect(await waiting.stats()).toMatchObject({ inflight: 1, queued: 0 });
    await waiting.do('release', 'waiting');
  });

  it('forget a limit that has not been used for twice its lease', async () => {
    const [one] = inOneLimit(SHORT_LEASE_MS) as [Participant];
    const { fencing } = await one.do('acquire', 'held');
    await one.do('release', 'held', { fencing });
    // Tokens of the forgotten state are not known to the next one.
    const isForgotten = async () => {
      const { state } = await one.do('renew', 'held', { fencing });
      if (state === 'held') await one.do('release', 'held', { fencing });
      return state === 'held';
    };
    expect(await isForgotten()).toBe(false);
    // Each look uses the limit again. On a busy machine the alarm may be late for the first one.
    do await new Promise((resolve) => setTimeout(resolve, 2 * SHORT_LEASE_MS + 500));
    while (!(await isForgotten()));
  });
});
