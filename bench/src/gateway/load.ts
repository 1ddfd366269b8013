import { Agent, request } from 'node:http';
import { arrivals } from '../overload/arrivals.ts';
import { capacity, patience, type Tenant, tenantHeader, tokensHeader } from './scenario.ts';

export interface TenantFigures {
  readonly requested: number;
  /** Tokens received. */
  tokens: number;
  /** Requests whose answer has begun. */
  begun: number;
  /** Milliseconds to the first token of each of them; `patience` of a request without an answer. */
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
  const isCounted = () => {
    const now = (performance.now() - start) / 1_000;
    return now >= warmUp && now < seconds;
  };
  const figures = new Map<string, TenantFigures>();
  const sent = tenants.map(async ({ name, tokens, load: part }, number) => {
    const rate = (part * capacity) / tokens;
    const phase = { name, duration: seconds, rate };
    const own: TenantFigures = {
      requested: rate * (seconds - warmUp),
      tokens: 0,
      begun: 0,
      firstTokens: [],
    };
    figures.set(name, own);
    const asked = arrivals([phase], seed + number).map(async ({ at }) => {
      await new Promise((resolve) => setTimeout(resolve, start + at - performance.now()));
      const isInTime = at >= warmUp * 1_000;
      const since = performance.now();
      await ask(
        port,
        agent,
        { [tenantHeader]: name, [tokensHeader]: `${tokens}` },
        (count, isFirst) => {
          if (isCounted()) own.tokens += count;
          if (!isFirst || !isInTime) return;
          own.begun++;
          own.firstTokens.push(performance.now() - since);
        },
      );
    });
    await Promise.all(asked);
  });
  await Promise.all(sent);
  agent.destroy();
  return figures;
}

function ask(
  port: number,
  agent: Agent,
  headers: Record<string, string>,
  received: (tokens: number, isFirst: boolean) => void,
): Promise<void> {
  return new Promise((resolve) => {
    let isFirst = true;
    const signal = AbortSignal.timeout(patience);
    request({ host: '127.0.0.1', port, agent, headers, signal }, (res) => {
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
