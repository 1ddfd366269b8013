import { type Arrival, poisson } from '../arrivals.ts';
import { atLeast, type Case } from '../goal.ts';
import { limited, type SimulatedRequest } from '../limited.ts';
import type { Row } from '../row.ts';
import { distributions, nameOf, rate } from '../settings.ts';
import type { Trial } from '../trial.ts';

type Draw = (random: () => number) => number;

/** Clients whose timeouts are drawn from a distribution. */
interface Clients {
  readonly name: string;
  readonly timeout: Draw;
  /** Whether all have the same timeout, and whether that is below ten times the work. */
  readonly kind: 'short' | 'equal' | 'mixed';
}

const equal = (timeout: number): Clients => ({
  name: timeout < 1000 ? `${timeout} ms` : `${timeout / 1000} s`,
  timeout: () => timeout,
  kind: timeout < 500 ? 'short' : 'equal',
});

const mixed = (name: string, timeout: Draw): Clients => ({ name, timeout, kind: 'mixed' });

const groups = [
  ...[100, 200, 500, 1000, 1500, 3000, 10_000].map(equal),
  mixed('half 300 ms, half 2 s', (random) => (random() < 0.5 ? 300 : 2000)),
  mixed('0.2 to 3.2 s', (random) => 200 + 3000 * random()),
  mixed('a tenth 20 ms, the others 10 s', (random) => (random() < 0.1 ? 20 : 10_000)),
];

const servers = [
  { limit: 4, mean: 40, kind: 'constant' },
  { limit: 4, mean: 40, kind: 'exponential' },
  { limit: 1, mean: 40, kind: 'exponential' },
  { limit: 10, mean: 50, kind: 'lognormal' },
] as const;

const loads = [1.2, 2, 5];

/** How long requests are counted, in milliseconds; before and after, others arrive for a quarter of that. */
const MEASURED_MS = 40_000;

type LimitedServer = (typeof servers)[number];

interface Cell {
  readonly clients: Clients;
  /** The lowest use of the capacity of all servers, as a percentage. */
  readonly answered: Case;
  /** The percentage of the unanswered requests that is rejected, over all servers. */
  readonly rejected: Case;
}

export const row: Row = {
  id: 'client-timeouts',
  name: 'Overload, clients that leave',
  description:
    'Clients leave after a timeout that the limit does not know: only `limit` is set. Answered is relative to the capacity, and to the\n' +
    'part of the requests that take no longer than their clients wait; rejected is relative to the requests that are not answered,\n' +
    'without those that take longer than their clients wait. Each cell has the worst of four limits: answered / rejected, %.',
  measure(trial) {
    const cells = groups.map((clients) => loads.map((load) => cellOf(trial, clients, load)));
    const cases = (figure: 'answered' | 'rejected', ...of: Clients['kind'][]) =>
      cells
        .flat()
        .filter(({ clients }) => of.includes(clients.kind))
        .map((cell) => cell[figure]);
    return {
      goals: [
        atLeast('answered', 90, '%', cases('answered', 'equal', 'mixed')),
        atLeast('answered, timeouts below ten times the work', 45, '%', cases('answered', 'short')),
        atLeast('rejected, equal timeouts', 85, '%', cases('rejected', 'equal')),
        atLeast('rejected, mixed timeouts', 85, '%', cases('rejected', 'mixed')),
      ],
      table: {
        head: ['Timeout of the clients', ...loads.map((load) => `${load} ×`)],
        rows: groups.map(({ name }, i) => [name, ...(cells[i] ?? []).map(textOf)]),
      },
    };
  },
};

/** The server on which the fewest are answered, and the rejections on all servers. */
function cellOf(trial: Trial, clients: Clients, load: number): Cell {
  const results = servers.map((server) => resultOf(trial, server, clients, load));
  const unanswered = results.flatMap((result) => result.unanswered);
  const rejected = unanswered.filter(({ rejection }) => rejection !== undefined);
  return {
    clients,
    answered: results.reduce((one, other) => (other.value < one.value ? other : one)),
    rejected: {
      setting: `clients leave after ${clients.name}, ${load} ×`,
      value: (100 * rejected.length) / unanswered.length,
    },
  };
}

function resultOf(trial: Trial, server: LimitedServer, clients: Clients, load: number) {
  const measured = MEASURED_MS * trial.part;
  const requests = requestsOf(trial, server, clients, load, measured);
  const possible = requests.filter(({ planned }) => isPossible(planned));
  const answered = requests.filter(({ isAnswered }) => isAnswered).length;
  const most = Math.min((rate(server, 1) * measured) / 1000, requests.length);
  // A limit can prefer clients that wait for longer; it does not know which work takes long.
  const part = clients.kind === 'mixed' ? 1 : possible.length / requests.length;
  return {
    setting: nameOf(server, server.kind, `clients leave after ${clients.name}`, `${load} ×`),
    value: (100 * answered) / (most * part),
    unanswered: possible.filter(({ isAnswered }) => !isAnswered),
  };
}

function requestsOf(
  trial: Trial,
  server: LimitedServer,
  clients: Clients,
  load: number,
  measured: number,
): SimulatedRequest[] {
  const { limit, mean, kind } = server;
  const from = measured / 4;
  const arrivals = poisson({
    perSecond: rate(server, load),
    duration: distributions[kind](mean),
    until: from + measured + from,
    seed: 7,
    traits: (random) => ({ clientTimeout: clients.timeout(random) }),
  });
  return limited(trial, arrivals, { limit }).filter(
    ({ planned: { at } }) => at >= from && at < from + measured,
  );
}

const isPossible = ({ duration, clientTimeout = Infinity }: Arrival) => duration < clientTimeout;

/** Answered and rejected, without decimals. */
const textOf = ({ answered, rejected }: Cell) =>
  `${answered.value.toFixed(0)} / ${rejected.value.toFixed(0)}`;
