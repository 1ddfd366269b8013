import { spike } from '../model/calls.ts';
import type { Figures } from '../model/figures.ts';
import { columns } from '../model/limiters.ts';
import { perSecondOf, type Settings } from '../settings.ts';
import { element } from './dom.ts';
import { draw } from './plot.ts';

const percent = (part: number) => (Number.isNaN(part) ? '–' : `${Math.round(100 * part)} %`);

function duration(milliseconds: number): string {
  if (Number.isNaN(milliseconds)) return '–';
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

function rejections({ rejected, rejectedAfter }: Figures): string {
  return rejected === 0 ? percent(0) : `${percent(rejected)} after ${duration(rejectedAfter)}`;
}

/** The rows of the table. */
const rows: Readonly<Record<string, (figures: Figures) => string>> = {
  'Calls answered in time, per second': ({ answered }) => `${Math.round(answered)}`,
  'Critical calls answered in time': ({ critical }) => percent(critical),
  'Calls of small tenants answered in time': ({ smallTenants }) => percent(smallTenants),
  'Time until an answer, p50': ({ p50 }) => duration(p50),
  'Time until an answer, p99': ({ p99 }) => duration(p99),
  'Requests rejected, and after how long (median)': rejections,
  'Requests timed out': ({ timedOut }) => percent(timedOut),
};

/** A sentence, the plots and the table of the figures. */
export class Results {
  readonly summary = element('p', { role: 'status', class: 'summary' });
  readonly plots = element('div', { class: 'plots' });
  readonly table: HTMLTableElement;
  readonly #body = element('tbody');

  constructor() {
    const caption = element('caption', {}, 'The 20 seconds above');
    const names = columns.map((name) => element('th', { scope: 'col' }, name));
    const head = element('thead', {}, element('tr', {}, element('td'), ...names));
    this.table = element('table', {}, caption, head, this.#body);
  }

  /** Whether the results are not yet those of the controls. */
  set isBusy(isBusy: boolean) {
    for (const part of [this.plots, this.table]) part.ariaBusy = `${isBusy}`;
  }

  show(settings: Settings, results: readonly Figures[]): void {
    const capacity = perSecondOf(settings);
    const hasSpike = settings.spike > settings.load;
    const plots = results.map(({ perSecond }, index) => {
      const title = columns[index] as string;
      const image = draw({ title, perSecond, capacity, spike: hasSpike ? spike : undefined });
      return element('figure', {}, element('figcaption', {}, title), image);
    });
    this.plots.replaceChildren(...plots);
    const lines = Object.entries(rows).map(([name, read]) => {
      const cells = results.map((figures) => element('td', {}, read(figures)));
      return element('tr', {}, element('th', { scope: 'row' }, name), ...cells);
    });
    this.#body.replaceChildren(...lines);
    const [bare, fixed, default_] = results.map(({ answered }) => Math.round(answered));
    this.summary.textContent =
      `The server can answer ${capacity} calls per second. In time, it answers ${bare} without a limit, ` +
      `${fixed} with the fixed limit, and ${default_} with the default limit.`;
  }
}
