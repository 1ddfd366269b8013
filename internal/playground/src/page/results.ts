import type { Figures } from '../model/figures.ts';
import { columns } from '../model/limiters.ts';
import type { Settings } from '../settings.ts';
import { Card } from './card.ts';
import { element } from './dom.ts';
import { duration, percent, rejections } from './format.ts';

/** The rows of the table. */
const rows: Readonly<Record<string, (figures: Figures) => string>> = {
  'Calls answered in time, per second': ({ answered }) => `${Math.round(answered)}`,
  'Critical calls answered in time': ({ critical }) => percent(critical),
  'Calls of small tenants answered in time': ({ smallTenants }) => percent(smallTenants),
  'Time until an answer, p50': ({ p50 }) => duration(p50),
  'Time until an answer, p99': ({ p99 }) => duration(p99),
  'Requests rejected (median time)': rejections,
  'Requests timed out': ({ timedOut }) => percent(timedOut),
};

/** The plots, a summary for screen readers, and a table of the figures. */
export class Results {
  readonly cards = element('div', { class: 'cards' });
  readonly summary = element('p', { role: 'status', class: 'summary' });
  readonly table: HTMLTableElement;
  readonly #cards = columns.map((column) => new Card(column));
  readonly #cells = Object.keys(rows).map(() => columns.map(() => element('td', {}, '–')));

  constructor() {
    this.cards.append(...this.#cards.map(({ field }) => field));
    const caption = element('caption', {}, 'All figures');
    const names = columns.map((name) => element('th', { scope: 'col' }, name));
    const head = element('thead', {}, element('tr', {}, element('td'), ...names));
    const lines = Object.keys(rows).map((name, row) =>
      element('tr', {}, element('th', { scope: 'row' }, name), ...(this.#cells[row] ?? [])),
    );
    this.table = element('table', {}, caption, head, element('tbody', {}, ...lines));
  }

  /** Whether the results are not yet those of the controls. */
  set isBusy(isBusy: boolean) {
    for (const part of [this.cards, this.table]) part.ariaBusy = `${isBusy}`;
  }

  show(settings: Settings, results: readonly Figures[]): void {
    results.forEach((figures, column) => {
      this.#cards[column]?.show(settings, figures);
      Object.values(rows).forEach((read, row) => {
        (this.#cells[row]?.[column] as HTMLElement).textContent = read(figures);
      });
    });
    const [bare, fixed, default_] = results.map(({ answered }) => Math.round(answered));
    this.summary.textContent = `In time, per second: bare ${bare}, fixed ${fixed}, default ${default_}`;
  }
}
