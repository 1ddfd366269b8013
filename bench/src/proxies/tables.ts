import { freePort, type LoadBalancer, startHaproxy, startNginx } from '@headgate/test-servers';
import type { Table } from '../table.ts';
import { App, WORK } from './app.ts';
import { answeredOf, burst } from './clients.ts';
import { type Address, haproxy, nginxLeastConn, nginxLimit } from './configurations.ts';

/** Starts a proxy in front of the apps. */
type StartProxy = (port: number, apps: readonly Address[]) => Promise<LoadBalancer>;

/** Runs `measure` with the port of a proxy in front of the apps; without one, that of the first app. */
async function behind<T>(
  apps: readonly App[],
  start: StartProxy | undefined,
  measure: (port: number) => Promise<T>,
): Promise<T> {
  const addresses = await Promise.all(apps.map((app) => app.listen()));
  const port = start === undefined ? addresses[0]?.port : await freePort();
  const proxy = await start?.(port as number, addresses);
  try {
    return await measure(port as number);
  } finally {
    await proxy?.stop();
    for (const app of apps) app.close();
  }
}

const LIMIT = 10;
const [BURST, LEAVING] = [40, 20];

const maxconn = (...defaults: string[]): StartProxy => {
  const server = () => `maxconn ${LIMIT}`;
  return (port, apps) => startHaproxy(haproxy(port, apps, { defaults, server }), port);
};

const limits: Readonly<Record<string, StartProxy | undefined>> = {
  [`nginx, \`limit_conn\` ${LIMIT}`]: (port, apps) =>
    startNginx(nginxLimit(port, apps, LIMIT), port),
  [`HAProxy, \`maxconn ${LIMIT}\``]: maxconn(),
  [`HAProxy, \`maxconn ${LIMIT}\`, \`option abortonclose\``]: maxconn('option abortonclose'),
  [`Headgate, \`limit: ${LIMIT}\``]: undefined,
};

/** How many of the requests that arrive at once are answered and rejected, and how many handlers run. */
export async function burstTable(): Promise<Table> {
  const rows: string[][] = [];
  for (const [name, start] of Object.entries(limits)) {
    const create = () => (start === undefined ? new App({ limit: LIMIT }) : new App());
    const { answered, rejected, slowest } = await behind([create()], start, (port) =>
      burst(port, BURST),
    );
    const left = create();
    await behind([left], start, (port) => burst(port, BURST, LEAVING));
    const figures = [`${answered}`, `${rejected}`, `${(slowest / 1_000).toFixed(1)} s`];
    rows.push([name, ...figures, `${left.handled}`]);
  }
  return {
    title: `${BURST} requests at once, whose handlers take ${WORK} ms`,
    columns: ['', 'answered', 'rejected', 'slowest', `handled if ${LEAVING} clients leave`],
    rows,
    goals: [],
  };
}

/** Three servers with a capacity of 100/s each; the fourth can do 10/s. */
const HEALTHY = 10;
const [RATE, SECONDS] = [180, 15];

const balancers: Readonly<Record<string, StartProxy>> = {
  'nginx, `least_conn`': (port, apps) => startNginx(nginxLeastConn(port, apps), port),
  'HAProxy, `balance leastconn`': (port, apps) =>
    startHaproxy(haproxy(port, apps, { backend: ['balance leastconn'] }), port),
  'HAProxy, `balance leastconn` and the agent': (port, apps) =>
    startHaproxy(
      haproxy(port, apps, {
        backend: ['balance leastconn'],
        server: ({ agentPort }) =>
          `weight 100 agent-check agent-port ${agentPort} agent-inter 200ms`,
      }),
      port,
    ),
  'HAProxy, `balance roundrobin`': (port, apps) =>
    startHaproxy(haproxy(port, apps, { backend: ['balance roundrobin'] }), port),
};

/** The answered fraction of a load that three of the four servers could answer alone. */
export async function sheddingTable(): Promise<Table> {
  const rows: string[][] = [];
  for (const [name, start] of Object.entries(balancers)) {
    const parts: string[] = [];
    for (const queueLimit of [0, 20]) {
      const limits = [{ limit: 1, queueLimit }, ...Array(3).fill({ limit: HEALTHY })];
      const apps = limits.map((limit) => new App(limit));
      const answered = await behind(apps, start, (port) => answeredOf(port, RATE, SECONDS));
      parts.push(`${(100 * answered).toFixed(0)} %`);
    }
    rows.push([name, ...parts]);
  }
  return {
    title: 'answered, with a limit of 1 in one of four servers',
    columns: ['', 'it has no queue', 'it has a queue'],
    rows,
    goals: [],
  };
}
