import { type RedisCluster, startCluster } from '@headgate/test-servers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { libraries } from './clients.ts';
import { Participant } from './participant.ts';

let nodes: RedisCluster;
let count = 0;
const participants: Participant[] = [];
beforeAll(async () => {
  nodes = await startCluster();
}, 40_000);
afterAll(() => nodes.stop());
afterEach(async () => {
  for (const one of participants.splice(0)) await one.end();
});

describe.each(libraries)('$name', { timeout: 20_000 }, ({ cluster }) => {
  function participant(): Participant {
    const made = new Participant(cluster(nodes.nodes.map(({ port }) => port)));
    participants.push(made);
    return made;
  }

  test('limits on all nodes are distributed, and grants arrive from all of them', async () => {
    const [one, two] = [participant(), participant()];
    await Promise.all([one.listening(), two.listening()]);
    const owners = new Set<number>();
    const first = count;
    for (; count < first + 12; count++) {
      const spec = { name: `limit ${count}`, key: 'a {b}:c' };
      owners.add(
        (await nodes.ownerOf(await nodes.slotOf(`headgate:{limit ${count}:a %7bb%7d%3ac}`))).port,
      );
      const [a, b] = [one.id(), two.id()];
      expect((await one.do('acquire', { ...spec, id: a })).state).toBe('held');
      expect((await two.do('acquire', { ...spec, id: b, wait: 9_000 })).state).toBe('queued');
      await one.do('release', { ...spec, id: a });
      await two.granted(b);
    }
    expect(owners.size).toBe(3);
    const specs = Array.from({ length: 12 }, (_, i) => ({ name: `many ${first + i}` }));
    const ops = specs.map((spec) => one.op('acquire', spec));
    const answers = await one.store.send(ops, 5_000);
    expect(answers).toMatchObject(specs.map(() => ({ state: 'held' })));
  });

  test('a limit is enforced during the move of its slot, at every step', async () => {
    const [one, two] = [participant(), participant()];
    await Promise.all([one.listening(), two.listening()]);
    const name = `moving ${++count}`;
    const slot = await nodes.slotOf(`headgate:{${name}}`);
    const from = await nodes.ownerOf(slot);
    const to = nodes.nodes.find((node) => node !== from) as typeof from;
    const next = async (id: string, waiting: Participant) => {
      const other = waiting.id();
      const answer = await waiting.do('acquire', { name, id: other, wait: 9_000 });
      expect(answer).toMatchObject({ state: 'queued', inflight: 1, queued: 1 });
      const holding = waiting === one ? two : one;
      expect((await holding.do('release', { name, id })).state).toBe('ok');
      await waiting.granted(other);
      return other;
    };
    let id = one.id();
    await one.do('acquire', { name, id });
    id = await next(id, two);
    const move = await nodes.startMove(slot, to);
    id = await next(id, one);
    // A limit that does not exist yet is created on the new node.
    await move.migrate();
    id = await next(id, two);
    await move.finish();
    id = await next(id, one);
    expect((await one.store.stats({ name })).inflight).toBe(1);
  });
});
