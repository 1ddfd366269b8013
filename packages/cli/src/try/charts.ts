import type { Outcome } from '../load/index.ts';
import { answersPerSecond, type Pass, spanOf } from './figures.ts';
import { milliseconds, perSecond } from './format.ts';

const width = 420;
const left = 44;
const right = width - 10;
const top = 14;
/** Milliseconds between the points of a curve. */
const STEP = 200;

/** Escapes text for HTML, attributes included. */
export const escapeHtml = (text: string) =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const round = (value: number) => Math.round(value * 10) / 10;

/** A chart over the time of a pass, up to `max`. */
class Chart {
  readonly bottom: number;
  readonly #end: number;

  constructor(
    readonly pass: Pass,
    readonly height: number,
    readonly max: number,
  ) {
    this.bottom = height - 32;
    this.#end = endOf(pass);
  }

  x = (at: number) => round(left + (at / this.#end) * (right - left));
  y = (value: number) => round(this.bottom - (value / this.max) * (this.bottom - top));

  /** The SVG, with the spike as a band, grid lines for the values, and an accessible name. */
  draw(name: string, values: readonly (readonly [number, string])[], parts: readonly string[]) {
    const { x, y, bottom, height } = this;
    const { from, to } = spanOf(this.pass.phases, 'spike');
    const rows = values.map(
      ([value, label]) =>
        `<line class="grid" x1="${left}" x2="${right}" y1="${y(value)}" y2="${y(value)}"/>` +
        `<text class="tick" x="${left - 8}" y="${y(value) + 4}" text-anchor="end">${label}</text>`,
    );
    const columns = ticks(this.#end / 1_000, 5).map(
      (second) =>
        `<text class="tick" x="${x(second * 1_000)}" y="${bottom + 18}" text-anchor="middle">${second} s</text>`,
    );
    return `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${name}"><rect class="spike" x="${x(from)}" y="${top}" width="${round(x(to) - x(from))}" height="${bottom - top}"/>${[...rows, ...columns, ...parts].join('')}</svg>`;
  }
}

/** Plots answers in time per second against the requests sent and the server's capacity. `max`: see `maxOf`. */
export function answersChart(pass: Pass, max: number, name: string): string {
  const { phases, capacity } = pass;
  const chart = new Chart(pass, 270, max);
  const { x, y } = chart;
  const curve = curveOf(pass).map(({ at, rate }) => `${x(at)} ${y(rate)}`);
  const spike = spanOf(phases, 'spike');
  const asked = phases.map((phase) => {
    const { from, to } = spanOf(phases, phase.name);
    return { ...phase, path: `${x(from)} ${Math.max(top, y(phase.rate))}H${x(to)}` };
  });
  const most = Math.max(...asked.map(({ rate }) => rate));
  const values = ticks(max, 5).map((value) => [value, `${value}`] as const);
  return chart.draw(`${name}: answered in time per second`, values, [
    `<path class="asked" d="M${asked.map(({ path }) => path).join('L')}"/>`,
    `<text class="note" x="${x((spike.from + spike.to) / 2)}" y="${top + 16}" text-anchor="middle">↑ ${perSecond(most)}</text>`,
    `<path class="area" d="M${x(0)} ${y(0)}L${curve.join('L')}V${y(0)}Z"/>`,
    `<path class="line" d="M${curve.join('L')}"/>`,
    `<line class="capacity" x1="${left}" x2="${right}" y1="${y(capacity)}" y2="${y(capacity)}"/>`,
    `<text class="note" x="${right}" y="${y(capacity) - 6}" text-anchor="end">capacity ${perSecond(capacity)}</text>`,
  ]);
}

/** One scale for all charts. The requests sent in the spike exceed it, because they would flatten the rest. */
export function maxOf(passes: readonly Pass[]): number {
  const peaks = passes.flatMap((pass) => curveOf(pass).map(({ rate }) => rate * 1.15));
  return Math.max(...peaks, ...passes.map(({ capacity }) => capacity * 1.4));
}

const endOf = ({ phases }: Pass) => phases.reduce((sum, { duration }) => sum + duration, 0);

/** At each time, the answers of the second before it. */
function curveOf(pass: Pass): { at: number; rate: number }[] {
  return Array.from({ length: Math.floor(endOf(pass) / STEP) }, (_, index) => {
    const at = (index + 1) * STEP;
    return { at, rate: answersPerSecond(pass.attempts, Math.max(0, at - 1_000), at) };
  });
}

/** One mark per request: when it was sent, how long it waited, and its outcome. `timeout`: when its client gives up. */
export function waitsChart(pass: Pass, timeout: number, name: string): string {
  const chart = new Chart(pass, 210, timeout * 1.12);
  const marks = (outcome: Outcome) => {
    const own = pass.attempts.filter((attempt) => attempt.outcome === outcome);
    const draw = ({ at, took }: (typeof own)[number]) =>
      marksOf[outcome](chart.x(at), chart.y(Math.min(took, timeout * 1.1)));
    return `<path class="${outcome}" d="${own.map(draw).join('')}"/>`;
  };
  const values = [0, timeout / 2, timeout].map((at) => [at, at ? milliseconds(at) : '0'] as const);
  const outcomes = ['gaveUp', 'failed', 'rejected', 'answered'] as const;
  return chart.draw(`${name}: wait of each request`, values, outcomes.map(marks));
}

const cross = (x: number, y: number) =>
  `M${round(x - 2.5)} ${round(y - 2.5)}l5 5M${round(x - 2.5)} ${round(y + 2.5)}l5 -5`;

/** They differ in shape as well as in colour. A dot is a line of length 0 with round ends. */
export const marksOf: Readonly<Record<Outcome, (x: number, y: number) => string>> = {
  answered: (x, y) => `M${x} ${y}h0`,
  rejected: (x, y) => `M${x} ${round(y - 4)}v8`,
  gaveUp: cross,
  failed: cross,
};

/** Round numbers from 0 to at most `max`, about `count` of them. */
export function ticks(max: number, count: number): number[] {
  const rough = max / count;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5].find((factor) => factor * magnitude >= rough) ?? 10) * magnitude;
  return Array.from({ length: Math.floor(max / step) + 1 }, (_, index) => index * step);
}
