import { Agent, type RequestOptions, request } from 'node:http';
import { arrivals } from '../overload/arrivals.ts';
import { capacity, patience, type Tenant, tenantHeader, tokensHeader } from './scenario.ts';

export interface TenantFigures {
  readonly requested: number;
  /** Tokens received. */
  tokens: number;
  /** Milliseconds to the first token of each request whose answer has begun. */
  readonly firstTokens: number[];
}

/** Sends the requests of all tenants for this many seconds. What happens during the first part is not counted. */
export async function load(
  port: number,
  tenants: readonly Tenant[],
  { seconds, warmUp, seed }: { seconds: number; warmUp: number; seed: number },
): Promise<Map<string, TenantFigures>> {
  const agent = new Agent({ keepAlive: true });
  const start = performance.now();
  const isCounted = (at: number) => at >= 1_000 * warmUp && at < 1_000 * seconds;
  const figures = new Map<string, TenantFigures>();
  const sent = tenants.flatMap(({ name, tokens, load: part }, number) => {
    const rate = (part * capacity) / tokens;
    const own: TenantFigures = { requested: rate * (seconds - warmUp), tokens: 0, firstTokens: [] };
    figures.set(name, own);
    const headers = { [tenantHeader]: name, [tokensHeader]: `${tokens}` };
    return arrivals([{ name, duration: seconds, rate }], seed + number).map(async ({ at }) => {
      await new Promise((resolve) => setTimeout(resolve, start + at - performance.now()));
      const since = performance.now();
      await ask({ port, agent, headers }, (count, isFirst) => {
        const now = performance.now();
        if (isCounted(now - start)) own.tokens += count;
        if (isFirst && isCounted(at)) own.firstTokens.push(now - since);
      });
    });
  });
  await Promise.all(sent);
  agent.destroy();
  return figures;
}

function ask(
  options: RequestOptions,
  received: (tokens: number, isFirst: boolean) => void,
): Promise<void> {
  return new Promise((resolve) => {
    let isFirst = true;
    const signal = AbortSignal.timeout(patience);
    request({ host: '127.0.0.1', ...options, signal }, (res) => {
      res.on('data', (data: Buffer) => {
        if (res.statusCode !== 200) return;
        received(data.filter((byte) => byte === 0x3a).length, isFirst);
        isFirst = false;
      });
      res.once('close', resolve).on('error', resolve);
    })
      .on('error', () => resolve())
      .end();
  });
}
