import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { contenders } from './gateway/contenders.ts';
import { load, type TenantFigures } from './gateway/load.ts';
import {
  allGreedy,
  alone,
  capacity,
  estimate,
  slots,
  type Tenant,
  withGreedy,
} from './gateway/scenario.ts';
import { percentile } from './stats.ts';
import { number, type Table } from './table.ts';

/** The same arrivals for all gateways. */
const timing = { seconds: 35, warmUp: 5, seed: 100 };

type Figures = ReadonlyMap<string, TenantFigures>;

interface Result {
  readonly alone: Figures;
  readonly withGreedy: Figures;
  readonly allGreedy: Figures;
}

/** Compares gateways in front of a model provider: nine modest tenants next to a greedy one. */
export async function gatewayTable(only: RegExp): Promise<Table> {
  const names = Object.keys(contenders).filter((name) => only.test(name));
  const results = new Map<string, Result>();
  for (const name of names) {
    const measure = (tenants: readonly Tenant[]) => run(name, tenants);
    results.set(name, {
      alone: await measure(alone),
      withGreedy: await measure(withGreedy),
      allGreedy: await measure(allGreedy),
    });
  }
  const ours = results.get('headgate');
  return {
    title:
      '(j) A gateway in front of a model: nine modest tenants, and a greedy one with answers five times as long',
    columns: [
      '',
      'first token alone: p99, ms',
      'with the greedy one: p99, ms',
      'ratio',
      'modest requests answered',
      'tokens of the greedy one × share',
      'tokens/s ÷ capacity',
      'all greedy: most ÷ fewest tokens',
    ],
    rows: names.map((name) => row(name, results.get(name) as Result)),
    goals: ours === undefined ? [] : goalsOf(ours),
    notes: [
      `${timing.seconds - timing.warmUp} s each, after ${timing.warmUp} s. The provider streams ${slots} answers at once. Alone, the modest tenants request 0.95 of the capacity; with the greedy one, they request 0.72 of it, and all together 5 times the capacity; in the last column, each tenant requests half of the capacity.`,
    ],
  };
}

function row(name: string, { alone: before, withGreedy: after, allGreedy: all }: Result): string[] {
  const greedy = after.get('greedy')?.tokens ?? 0;
  const tokens = [...all.values()].map((tenant) => tenant.tokens);
  return [
    name,
    number(p99(before)),
    number(p99(after)),
    number(p99(after) / p99(before)),
    number(answered(after)),
    number((10 * greedy) / (capacity * (timing.seconds - timing.warmUp))),
    number(sum(after) / (capacity * (timing.seconds - timing.warmUp))),
    number(Math.max(...tokens) / Math.min(...tokens)),
  ];
}

function goalsOf({ alone: before, withGreedy: after, allGreedy: all }: Result) {
  const tokens = [...all.values()].map((tenant) => tenant.tokens);
  return [
    {
      what: 'first token of the modest tenants, p99 / alone',
      target: 1.3,
      measured: p99(after) / p99(before),
      unit: '×',
    },
    {
      // Sheng et al., OSDI 2024, theorem 4.4: twice the tokens in flight, all of one tenant.
      what: 'difference between two tenants that always wait / the bound of VTC',
      target: 1,
      measured: (Math.max(...tokens) - Math.min(...tokens)) / (2 * slots * (200 + estimate)),
      unit: '×',
    },
  ];
}

const modestOnes = (figures: Figures) =>
  [...figures].filter(([name]) => name !== 'greedy').map(([, own]) => own);

const p99 = (figures: Figures) =>
  percentile(
    modestOnes(figures).flatMap((own) => own.firstTokens),
    0.99,
  );

const sum = (figures: Figures) =>
  [...figures.values()].reduce((total, { tokens }) => total + tokens, 0);

function answered(figures: Figures): number {
  const modest = modestOnes(figures);
  const total = (part: (own: TenantFigures) => number) =>
    modest.reduce((all, own) => all + part(own), 0);
  return total(({ begun }) => begun) / total(({ requested }) => requested);
}

async function run(name: string, tenants: readonly Tenant[]): Promise<Figures> {
  const provider = await start('provider');
  const gateway = await start('gateway', name, `${provider.port}`);
  try {
    return await load(gateway.port, tenants, timing);
  } finally {
    gateway.stop();
    provider.stop();
  }
}

/** Starts a program, which sends its port. */
function start(program: string, ...args: string[]): Promise<{ port: number; stop(): void }> {
  const path = fileURLToPath(new URL(`./gateway/${program}.js`, import.meta.url));
  const child = fork(path, args, { env: { ...process.env, NODE_ENV: 'production' } });
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${program} ended with ${code}`)));
    child.once('message', (port) =>
      resolve({ port: port as number, stop: () => child.kill('SIGKILL') }),
    );
  });
}
