import type { Goal, Table } from '../../table.ts';
import { measureCells } from '../measure-cells.ts';
import { kinds } from './kinds.ts';
import { LIMIT } from './limit.ts';
import type { LeavingCell, LeavingFigures } from './measure.ts';

/** A row: a kind of handler, and its figures for each of the parts. */
interface Measured {
  kind: string;
  figures: readonly LeavingFigures[];
}

/** Percentages of the other clients that must be answered. The permits of silent handlers are held for longer. */
const LEAST = 98;
const LEAST_SILENT = 90;

const isSilent = (kind: string) => kind.endsWith('silent');

/** The parts of the clients that leave. */
const parts = [0.1, 0.5, 0.9];

/** Measures each kind of handler whose name matches. */
export async function leavingTable(only: RegExp): Promise<Table> {
  const chosen = Object.keys(kinds).filter((kind) => only.test(kind));
  const cells = chosen.flatMap((kind) => parts.map((part): LeavingCell => ({ kind, part })));
  const figures = await measureCells<LeavingCell, LeavingFigures>('leaving', cells);
  return tableOf(
    chosen.map((kind, i) => ({
      kind,
      figures: figures.slice(i * parts.length, (i + 1) * parts.length),
    })),
  );
}

export function tableOf(measured: readonly Measured[]): Table {
  const silent = measured.filter(({ kind }) => isSilent(kind));
  const others = measured.filter(({ kind }) => !isSilent(kind));
  return {
    title: `a limit of ${LIMIT}, of which 40 % is used: answered of the other clients, %, and permits held afterwards`,
    columns: ['', ...parts.map((part) => `${100 * part} % leave`), 'permits held'],
    rows: measured.map(({ kind, figures }) => [
      kind,
      ...figures.map((each) => percent(each.answered)),
      figures.map(({ held }) => held).join(' / '),
    ]),
    goals: [
      goalOf('answered of the other clients', LEAST, others),
      goalOf('the same with silent handlers', LEAST_SILENT, silent),
    ],
  };
}

function goalOf(what: string, target: number, measured: readonly Measured[]): Goal {
  const answered = measured.flatMap(({ figures }) => figures.map((each) => 100 * each.answered));
  return { what, target, atLeast: true, measured: Math.min(...answered), unit: '%' };
}

function percent(part: number): string {
  const text = (100 * part).toFixed(1);
  return 100 * part < LEAST ? `**${text}**` : text;
}
