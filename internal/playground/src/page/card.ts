import type { Figures } from '../model/figures.ts';
import type { Column } from '../model/limiters.ts';
import { perSecondOf, type Settings } from '../settings.ts';
import { element } from './dom.ts';
import { duration, percent, rejections } from './format.ts';
import { draw } from './plot.ts';

/** The rows below the plot. */
const notes: Readonly<Record<string, (figures: Figures) => string>> = {
  p99: ({ p99 }) => duration(p99),
  rejected: rejections,
  'timed out': ({ timedOut }) => percent(timedOut),
};

/** The plot of a server, and its most important figures. */
export class Card {
  readonly field: HTMLElement;
  readonly #title: HTMLElement;
  readonly #answered = element('strong', {}, '–');
  readonly #plot = element('div', { class: 'plot' });
  readonly #notes = Object.keys(notes).map(() => element('dd', {}, '–'));

  constructor(private readonly column: Column) {
    this.#title = element('span', { class: 'name' }, column);
    const unit = element('span', { class: 'unit' }, ' answers/s in time');
    const answered = element('span', {}, this.#answered, unit);
    const terms = Object.keys(notes).map((name, index) =>
      element('div', {}, element('dt', {}, name), this.#notes[index] as HTMLElement),
    );
    this.field = element(
      'figure',
      {},
      element('figcaption', {}, this.#title, answered),
      this.#plot,
      element('dl', {}, ...terms),
    );
  }

  show(settings: Settings, figures: Figures): void {
    const { column } = this;
    const { perSecond, answered } = figures;
    this.#title.textContent = column === 'fixed limit' ? `${column}: ${settings.fixed}` : column;
    this.#answered.textContent = `${Math.round(answered)}`;
    const hasSpike = settings.spike > settings.load;
    this.#plot.replaceChildren(
      draw({ title: column, perSecond, capacity: perSecondOf(settings), hasSpike }),
    );
    Object.values(notes).forEach((read, index) => {
      (this.#notes[index] as HTMLElement).textContent = read(figures);
    });
  }
}
