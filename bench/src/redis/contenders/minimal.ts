import type { Redis } from 'ioredis';
import type { Contender, Held, Open, Setting } from '../../distributed/contender.ts';
import { connect } from '../connect.ts';

/** A counter and a list. KEYS: held, queue; ARGV: limit, id. Returns whether the caller is admitted immediately. */
const acquireScript = `
local held = tonumber(redis.call('get', KEYS[1]) or 0)
if held < tonumber(ARGV[1]) and redis.call('exists', KEYS[2]) == 0 then
  redis.call('incr', KEYS[1])
  return 1
end
redis.call('rpush', KEYS[2], ARGV[2])
return 0`;

/** Passes the permit to the head of the queue and notifies its process. */
const releaseScript = `
local id = redis.call('lpop', KEYS[2])
if id then
  redis.call('publish', string.match(id, '^[^.]+'), id)
else
  redis.call('decr', KEYS[1])
end
return 0`;

/**
 * The minimum for a FIFO queue across processes: one call to acquire, one to release, and a message to the process that
 * receives a permit. No leases, no timeouts, no crash recovery, no batches. It is a lower bound for limiters that have
 * these.
 */
class Minimal implements Contender, Held {
  readonly #client: Redis;
  readonly #keys: readonly [held: string, line: string];
  readonly #limit: number;
  readonly #waiters = new Map<string, () => void>();
  readonly #owner = `minimal-${process.pid}`;
  #scripts: [acquire: string, release: string] = ['', ''];
  #count = 0;

  constructor(client: Redis, { name, limit }: Setting) {
    this.#client = client;
    this.#keys = [`{${name}}:held`, `{${name}}:line`];
    this.#limit = limit;
  }

  async open(messages: Redis): Promise<this> {
    const load = (script: string) => this.#client.script('LOAD', script) as Promise<string>;
    this.#scripts = [await load(acquireScript), await load(releaseScript)];
    messages.on('message', (_channel: string, id: string) => this.#waiters.get(id)?.());
    await messages.subscribe(this.#owner);
    return this;
  }

  /** Registers the callback first, because the message may arrive before the reply. */
  acquire(): Promise<Held> {
    const id = `${this.#owner}.${this.#count++}`;
    return new Promise((resolve, reject) => {
      const granted = () => {
        this.#waiters.delete(id);
        resolve(this);
      };
      this.#waiters.set(id, granted);
      this.#client
        .evalsha(this.#scripts[0], 2, ...this.#keys, this.#limit, id)
        .then((held) => held === 1 && granted(), reject);
    });
  }

  release(): Promise<unknown> {
    return this.#client.evalsha(this.#scripts[1], 2, ...this.#keys);
  }
}

export const minimal: Open = async (setting) => {
  const client = await connect(setting.port);
  return new Minimal(client, setting).open(await connect(setting.port));
};
