import type { Table } from '../../table.ts';
import { measureCells } from '../measure-cells.ts';
import { appsOf, frameworks } from './app.ts';
import { LIMIT } from './limit.ts';
import type { Hang, HangingCell, HangingFigures } from './measure.ts';

/** A row whose figures are known: those of its columns, in their order. */
export interface Measured {
  app: string;
  figures: readonly HangingFigures[];
}

const MAX_HANDLERS = 2 * LIMIT;

/** The limit cannot tell a logger from a handler that stops until the first such handler has responded late. */
const isExempt = (app: string) => app.includes('logger');

const patiences = [20, 300, 1_000, 5_000];

function hangsOf(durations: readonly number[], amidFast: boolean): Hang[] {
  return durations.flatMap((hang) =>
    patiences
      .filter((patience) => patience < hang)
      .map((patience) => ({ hang, patience, amidFast })),
  );
}

export const alone = hangsOf([3_000, 8_000, 30_000], false);
export const amidFast = hangsOf([8_000], true);

/** Measures these hangs in each app whose name matches. */
export async function hangingTable(hangs: readonly Hang[], only: RegExp): Promise<Table> {
  const rows = (await Promise.all(frameworks.map(rowsOf))).flat();
  const chosen = rows.filter(({ app }) => only.test(app));
  const cells = chosen.flatMap((row) => hangs.map((hang): HangingCell => ({ ...row, ...hang })));
  const figures = await measureCells<HangingCell, HangingFigures>('hanging', cells);
  const measured = chosen.map(({ app }, i) => ({
    app,
    figures: figures.slice(i * hangs.length, (i + 1) * hangs.length),
  }));
  return tableOf(hangs, measured);
}

async function rowsOf(framework: HangingCell['framework']) {
  return Object.keys(await appsOf(framework)).map((app) => ({ framework, app }));
}

export function tableOf(hangs: readonly Hang[], measured: readonly Measured[]): Table {
  const bounded = measured.filter(({ app }) => !isExempt(app));
  return {
    title: `most handlers at once with a limit of ${LIMIT}, by how long the dependency takes / how long clients wait`,
    columns: ['', ...hangs.map(nameOf), 'permits back, ms'],
    rows: measured.map(({ app, figures }) => [
      app,
      ...figures.map(({ handlers }) => cellOf(handlers)),
      worstBack(figures),
    ]),
    goals: [
      {
        what: 'handlers at once, but for the logger',
        target: MAX_HANDLERS,
        measured: Math.max(
          ...bounded.flatMap(({ figures }) => figures.map(({ handlers }) => handlers)),
        ),
        unit: '',
      },
    ],
  };
}

/** Such as `8 s / 0.3 s`. */
function nameOf({ hang, patience }: Hang): string {
  return `${hang / 1_000} s / ${patience / 1_000} s`;
}

function cellOf(handlers: number): string {
  return handlers > MAX_HANDLERS ? `**${handlers}**` : String(handlers);
}

function worstBack(figures: readonly HangingFigures[]): string {
  const times = figures.map(({ back }) => back ?? Number.POSITIVE_INFINITY);
  const worst = Math.max(...times);
  return Number.isFinite(worst) ? worst.toFixed(0) : 'never';
}
