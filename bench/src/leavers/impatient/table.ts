import type { Goal, Table } from '../../table.ts';
import { LIMIT } from '../hanging/limit.ts';
import { measureCells } from '../measure-cells.ts';
import type { ImpatientCell, ImpatientFigures } from './measure.ts';

/** A row whose figures are known: those of its columns, in their order. */
interface Measured {
  app: string;
  figures: readonly ImpatientFigures[];
}

/** A server of each adapter, and one behind the hook. */
export const apps: readonly Pick<ImpatientCell, 'framework' | 'app'>[] = [
  { framework: 'express', app: 'Express route, async' },
  { framework: 'koa', app: 'Koa' },
  { framework: 'fastify', app: 'Fastify, async' },
  { framework: 'hono', app: 'Hono' },
  { framework: 'node', app: '`node:http`, async' },
  { framework: 'express', app: 'Express behind the hook, async' },
];

/** Milliseconds. */
const patiences = [300, 500, 1_000, 3_000];

/** Clients that wait less than ten times as long as a handler takes may lose more answers. */
const SHORT_MS = 400;

/** Percentages. */
const LEAST = 85;
const LEAST_SHORT = 45;

/** Servers and clients compute, so that more processes at once would delay each other's clients. */
const AT_ONCE = 2;

export async function impatientTable(only: RegExp): Promise<Table> {
  const chosen = apps.filter(({ app }) => only.test(app));
  const cells = chosen.flatMap((row) =>
    patiences.map((patience): ImpatientCell => ({ ...row, patience })),
  );
  const figures = await measureCells<ImpatientCell, ImpatientFigures>('impatient', cells, {
    atOnce: AT_ONCE,
    speed: 1,
  });
  return tableOf(
    chosen.map(({ app }, i) => ({
      app,
      figures: figures.slice(i * patiences.length, (i + 1) * patiences.length),
    })),
  );
}

export function tableOf(measured: readonly Measured[]): Table {
  const percentages = (isShort: boolean, figure: keyof ImpatientFigures) =>
    measured.flatMap(({ figures }) =>
      figures
        .filter((_, i) => (patiences[i] ?? 0) < SHORT_MS === isShort)
        .map((each) => 100 * each[figure]),
    );
  return {
    title: `a limit of ${LIMIT} at twice its capacity: answered of the capacity / rejected of the others, %, by how long clients wait`,
    columns: ['', ...patiences.map((patience) => `${patience / 1_000} s`)],
    rows: measured.map(({ app, figures }) => [app, ...figures.map(cellOf)]),
    goals: [
      goalOf('answered of the capacity', LEAST, percentages(false, 'answered')),
      goalOf('answered, clients that wait 0.3 s', LEAST_SHORT, percentages(true, 'answered')),
      goalOf('rejected of the others', LEAST, percentages(false, 'rejected')),
    ],
  };
}

function goalOf(what: string, target: number, percentages: readonly number[]): Goal {
  return { what, target, atLeast: true, measured: Math.min(...percentages), unit: '%' };
}

const cellOf = ({ answered, rejected }: ImpatientFigures) =>
  `${(100 * answered).toFixed(0)} / ${(100 * rejected).toFixed(0)}`;
