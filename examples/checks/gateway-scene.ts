import { fileURLToPath } from 'node:url';
import { redisStore } from '@headgate/redis';
import { type RedisServer, startRedis } from '@headgate/test-servers';
import { Redis } from 'ioredis';
import { Program } from './program.ts';

/** The deployments of the gateway. */
const deployments = [
  'openai-large',
  'openai-medium-1',
  'openai-medium-2',
  'openai-small',
  'anthropic-large',
  'anthropic-small',
];

export const openai = '/v1/chat/completions';
export const responses = '/v1/responses';
export const anthropic = '/v1/messages';

export interface Question {
  readonly tenant?: 'ann' | 'bob' | 'crawler';
  readonly path?: typeof openai | typeof responses | typeof anthropic;
  readonly model?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly prompt?: string;
  readonly stream?: boolean;
  readonly maxTokens?: number;
  readonly allowsFallback?: boolean;
  readonly signal?: AbortSignal;
  /** What the provider's answer is like. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** What the provider has received. */
interface Calls {
  readonly running: number;
  readonly peak: number;
  readonly refused: number;
  readonly aborted: number;
  readonly started: readonly {
    prompt: string;
    model: string;
    at: number;
    url: string;
    headers: Readonly<Record<string, string>>;
  }[];
  readonly finished: readonly { prompt: string; tokens: number }[];
}

interface GatewayStats {
  readonly limit: {
    readonly holders: number;
    readonly queued: number;
  };
  readonly degraded: { readonly holders: number };
  readonly deployments: readonly {
    readonly inflight: number;
    readonly queued: number;
    readonly distributed?: { readonly up: boolean };
  }[];
}

/** Four processes of a gateway, and the provider and the Redis behind them. */
export class GatewayScene {
  private constructor(
    readonly redis: RedisServer,
    readonly provider: Program,
    readonly gateways: readonly Program[],
  ) {}

  get one(): Program {
    return this.gateways[0] as Program;
  }

  get two(): Program {
    return this.gateways[1] as Program;
  }

  static async start(path: string): Promise<GatewayScene> {
    const redis = await startRedis();
    const provider = new Program(fileURLToPath(import.meta.resolve('../ai-gateway/provider.ts')));
    const url = await provider.url;
    const env = {
      ...{ REDIS_URL: redis.url, MAX_HOLD: '3000' },
      ...{ OPENAI_URL: url, OPENAI_URL_2: `${url}/second`, ANTHROPIC_URL: url },
      ...{ OPENAI_API_KEY: 'openai-key', ANTHROPIC_API_KEY: 'anthropic-key' },
    };
    // Its errors are expected: the check causes them.
    const one = new Program(path, env, 'pipe');
    const others = [1, 2, 3].map(() => one.another());
    return new GatewayScene(redis, provider, [one, ...others]);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.gateways, this.provider].map((program) => program.stop()));
    await this.redis.stop();
  }

  /** Asks a gateway, or the provider itself. */
  ask(at: Program, question: Question = {}): Promise<Response> {
    const { tenant = 'ann', path = openai, prompt = 'hello', stream = false } = question;
    const { model = 'large', headers = {} } = question;
    const { maxTokens = 50, allowsFallback = false, signal, metadata = {} } = question;
    return at.fetch(path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-api-key': `sk-${tenant}`,
        'x-allow-fallback': `${allowsFallback}`,
        ...headers,
      },
      body: JSON.stringify({
        ...{ model, stream, metadata },
        ...(path === responses
          ? { max_output_tokens: maxTokens, input: prompt }
          : { max_tokens: maxTokens, messages: [{ role: 'user', content: prompt }] }),
      }),
      ...(signal && { signal }),
    });
  }

  /** Resolves at the first token of an answer that the provider continues after `release`. */
  hold(at: Program, question: Question = {}): Promise<Response> {
    return this.ask(at, { ...question, stream: true, metadata: { fault: 'hold' } });
  }

  async release(): Promise<void> {
    await this.provider.fetch('/admin/release', { method: 'POST' });
  }

  async calls(): Promise<Calls> {
    return (await this.provider.fetch('/admin/calls')).json() as Promise<Calls>;
  }

  /** Resolves once the gateway's statistics satisfy `isRight`. */
  until(at: Program, isRight: (stats: GatewayStats) => boolean): Promise<void> {
    return at.until('/stats', (stats) => isRight(stats as unknown as GatewayStats));
  }

  /** Resolves once at least this many requests are queued. */
  queued(at: Program, count: number): Promise<void> {
    return this.until(at, ({ limit, deployments: all }) => {
      return all.reduce((sum, { queued }) => sum + queued, limit.queued) >= count;
    });
  }

  /** Resolves once no permit is held and no request is queued: in the processes, at the provider and in Redis. */
  async idle(): Promise<void> {
    for (const gateway of this.gateways) {
      await this.until(gateway, ({ limit: { holders, queued }, degraded, deployments: all }) => {
        const used = all.reduce((sum, each) => sum + each.inflight + each.queued, 0);
        return holders + queued + used + degraded.holders === 0;
      });
    }
    await this.provider.until('/admin/calls', ({ running }) => running === 0);
    const client = new Redis(this.redis.url);
    const store = redisStore({ client });
    for (const name of deployments) {
      for (let held = Infinity; held > 0; ) {
        const { inflight, holders, queued } = await store.stats({ name });
        held = inflight + holders + queued;
      }
    }
    await store.close();
    client.disconnect();
  }
}
