import { until } from '@headgate/test-suite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Participant } from './participant.ts';
import { RunningObjects } from './running-objects.ts';

describe('the rows that a Durable Object writes', () => {
  let objects: RunningObjects;
  let participant: Participant;

  beforeAll(async () => {
    objects = await RunningObjects.start();
    participant = new Participant(objects, { name: 'rows' });
    // The first permit writes the tables and the alarm as well.
    await participant.do('acquire', 'first');
    await participant.do('release', 'first');
  });
  afterAll(async () => {
    await participant.store.close();
    await objects.stop();
  });

  async function writtenBy(work: () => Promise<void>): Promise<number> {
    const before = await participant.rows();
    await work();
    return (await participant.rows()) - before;
  }

  it('are three for a permit', async () => {
    const written = await writtenBy(async () => {
      await participant.do('acquire', 'held');
      await participant.do('release', 'held');
    });
    expect(written).toBe(3);
  });

  it('are none for the statistics of a limit that has never been used, which can still be used', async () => {
    const unused = new Participant(objects, { name: 'rows', key: 'unused' });
    const nothing = { inflight: 0, holders: 0, queued: 0, longestWait: 0 };
    for (let call = 0; call < 3; call++) expect(await unused.stats()).toMatchObject(nothing);
    // A new instance finds nothing either.
    await objects.server.restart();
    expect(await unused.stats()).toMatchObject(nothing);
    expect(await unused.rows()).toBe(0);
    expect(await unused.do('acquire', 'held')).toMatchObject({ state: 'held' });
    await objects.server.restart();
    expect(await unused.stats()).toMatchObject({ limit: 1, inflight: 1 });
    await unused.store.close();
  });

  it('are none for the statistics of a limit that has been used, not even in a new instance', async () => {
    await objects.server.restart();
    for (let call = 0; call < 3; call++) {
      expect(await participant.stats()).toMatchObject({ limit: 1, inflight: 0 });
      expect(await participant.rows()).toBe(0);
    }
  });

  it('are two more for a permit that was queued', async () => {
    await participant.do('acquire', 'holder');
    const written = await writtenBy(async () => {
      await participant.do('acquire', 'waiter', { wait: 60_000 });
      await participant.do('release', 'holder');
      await until(() => participant.grants.length > 0);
      await participant.do('release', 'waiter');
    });
    // One of them deletes the lease of the holder, together with the grant.
    expect(written).toBe(5 + 1);
  });
});
