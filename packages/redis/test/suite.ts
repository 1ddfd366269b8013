import { redisStore } from '@headgate/redis';
import { startProxy } from '@headgate/test-servers';
import { storeSuite } from '@headgate/test-suite';
import { afterAll, expect, vi } from 'vitest';
import type { Library } from './clients.ts';
import { useServer } from './server.ts';

/** Adds this many milliseconds to all ends of leases and waits, as if the clock was set back. See `lease.lua.ts`. */
const setBack = `
local by = tonumber(ARGV[1])
for _, key in ipairs(redis.call('KEYS', '*')) do
  local members = redis.call('ZRANGE', key, '0', '-1', 'WITHSCORES')
  for at = 1, #members, 2 do
    local score = tonumber(members[at + 1])
    local factor = score >= 0 and score < 1e14 and 1 or score >= 1e14 and score < 9e14 and 256 or 0
    redis.call('ZADD', key, string.format('%d', score + factor * by), members[at])
  end
  local layout = '<I1I5I6c10I7I7I4I7I5I5I7'
  local head = { struct.unpack(layout, members[1]) }
  if head[9] > 0 then head[9] = head[9] + math.floor(by / 16) end
  head[12] = nil
  redis.call('ZREM', key, members[1])
  redis.call('ZADD', key, '-1', struct.pack(layout, unpack(head)))
end
`;

/** Tests the store contract, or these topics of it, with one library. */
export async function suiteThrough(library: Library, topics?: readonly string[]): Promise<void> {
  const { server: redis, admin } = await useServer();
  const proxy = await startProxy(redis);
  afterAll(() => proxy.stop());

  storeSuite({
    name: `Redis through ${library.name}`,
    topics,
    connect: async (times) => {
      const app = library.connect(proxy.port);
      const store = redisStore({ client: app.client, ...times });
      const { close } = store;
      store.close = async () => {
        await close.call(store);
        await app.close();
      };
      // So that no message arrives too early; the suite does not repeat a request on `check`.
      await store.send([], times.timeout);
      const channel = `headgate:${store.owner}`;
      const listeners = async () => (await admin.pubsub('NUMSUB', channel))[1];
      await vi.waitFor(async () => expect(await listeners()).toBe(1), {
        interval: 2,
        timeout: 5_000,
      });
      return store;
    },
    setBack: (milliseconds) => admin.eval(setBack, 0, milliseconds),
    wipe: async () => void (await admin.flushall()),
    hang: () => {
      redis.freeze();
      return () => redis.thaw();
    },
    refuse: () => proxy.away(),
  });
}
