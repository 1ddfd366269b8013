import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { quantile } from 'headgate/load';
import { contenders } from './gateway/contenders.ts';
import { load, type TenantFigures } from './gateway/load.ts';
import {
  allGreedy,
  alone,
  capacity,
  estimate,
  greedyAnswer,
  slots,
  type Tenant,
  withGreedy,
} from './gateway/scenario.ts';
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

function row(name: string, result: Result): string[] {
  const possible = capacity * (timing.seconds - timing.warmUp);
  const greedy = result.withGreedy.get('greedy')?.tokens ?? 0;
  const tokens = tokensOf(result.allGreedy);
  return [
    name,
    number(p99(result.alone)),
    number(p99(result.withGreedy)),
    number(p99(result.withGreedy) / p99(result.alone)),
    number(answered(result.withGreedy)),
    number((10 * greedy) / possible),
    number(sum(tokensOf(result.withGreedy)) / possible),
    number(Math.max(...tokens) / Math.min(...tokens)),
  ];
}

function goalsOf(result: Result) {
  const tokens = tokensOf(result.allGreedy);
  return [
    {
      what: 'first token of the modest tenants, p99 / alone',
      target: 1.3,
      measured: p99(result.withGreedy) / p99(result.alone),
      unit: '×',
    },
    {
      // Sheng et al., OSDI 2024, theorem 4.4: twice the tokens in flight, all of one tenant.
      what: 'difference between two tenants that always wait / the bound of VTC',
      target: 1,
      measured:
        (Math.max(...tokens) - Math.min(...tokens)) / (2 * slots * (greedyAnswer + estimate)),
      unit: '×',
    },
  ];
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

const tokensOf = (figures: Figures) => [...figures.values()].map(({ tokens }) => tokens);

const modestOnes = (figures: Figures) =>
  [...figures].filter(([name]) => name !== 'greedy').map(([, own]) => own);

const firstTokens = (figures: Figures) => modestOnes(figures).flatMap((own) => own.firstTokens);

const p99 = (figures: Figures) => quantile(firstTokens(figures), 0.99);

/** The part of the modest tenants' requests whose answer has begun. */
const answered = (figures: Figures) =>
  firstTokens(figures).length / sum(modestOnes(figures).map(({ requested }) => requested));

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
