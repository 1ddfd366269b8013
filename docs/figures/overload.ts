import { rowsUnder, withTable } from './tables.ts';

const kinds = [
  {
    heading: 'The same with a connection for each request',
    title: '10 ms of computing, a connection per request',
  },
  { heading: 'Handlers that compute', title: '10 ms of computing, keep-alive connections' },
  { heading: 'Handlers that compute after a query', title: '10 ms of computing after a query' },
  { heading: "Handlers that wait for libuv's threads", title: "25 ms of libuv's threads" },
  { heading: 'Handlers that wait for a database', title: '50 ms of a pool of 10' },
] as const;

const servers = [
  { name: 'headgate', label: 'Headgate' },
  { name: 'bare', label: 'no protection' },
  { name: 'express-queue, right limit', label: 'express-queue' },
  { name: 'overload-protection', label: 'overload-protection' },
  { name: 'toobusy-js', label: 'toobusy-js' },
  { name: 'under-pressure', label: "under-pressure's method" },
] as const;

/** docs/overload.md with what each server does at five times the capacity, from docs/lab/overload-measured.md. */
export function withLoads(page: string, measured: string): string {
  const rows = kinds.flatMap(({ heading, title }) => {
    const cells = rowsUnder(measured, heading);
    return [
      [`**${title}**`, '', '', ''],
      ...servers
        .filter(({ name }) => isMeasured(name, cells))
        .map((server) => rowOf(server, cells, heading)),
    ];
  });
  const head = [
    '',
    'answered in time, relative to the bound',
    'p99 of those',
    'critical requests answered',
  ];
  return withTable(page, 'loads', [head, ['---', '---:', '---:', '---:'], ...rows]);
}

/** Not every section has every server. */
function isMeasured(name: string, rows: string[][]): boolean {
  return name === 'headgate' || rowsOf(name, rows).load !== undefined;
}

function rowOf(
  { name, label }: { name: string; label: string },
  rows: string[][],
  heading: string,
) {
  const { load, around } = rowsOf(name, rows);
  const [, , , , ofBound, , p99] = load ?? [];
  const critical = around?.[4];
  if (ofBound === undefined || p99 === undefined || critical === undefined) {
    throw new Error(`"${heading}" lacks ${name}`);
  }
  return [
    label,
    Number(ofBound).toFixed(2),
    p99 === '–' ? p99 : `${Math.round(Number(p99.replace(',', '')))} ms`,
    `${Math.round(Number(critical))} %`,
  ];
}

/** A server's row at five times the capacity, and its row of the table about the time before and after the overload. */
function rowsOf(name: string, rows: string[][]) {
  const own = rows.filter(([first]) => first === name);
  return {
    load: own.find(([, second]) => second === '5 ×'),
    around: own.find((row) => row.length === 8),
  };
}

/** What Headgate does at five times the capacity. */
export function loadOf(measured: string, heading: string): { answered: string; p99: string } {
  const [, , answered, , , , p99] = rowsOf('headgate', rowsUnder(measured, heading)).load ?? [];
  if (answered === undefined || p99 === undefined) throw new Error(`"${heading}" lacks a load`);
  return { answered: `${Number(answered).toFixed(2)} ×`, p99 };
}

/** The median of Headgate's answered requests at five times the capacity and without load, in milliseconds. */
export function medians(measured: string, heading: string): [overloaded: string, unloaded: string] {
  const rows = rowsUnder(measured, heading);
  const { load, around } = rowsOf('headgate', rows);
  return [String(Math.round(Number(load?.[5]))), String(Math.round(Number(around?.[1])))];
}
