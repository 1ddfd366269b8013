import {
  type ChoiceName,
  choices,
  initialSettings,
  type RangeName,
  ranges,
  type Settings,
} from '../settings.ts';
import { element } from './dom.ts';

type Name = RangeName | ChoiceName;

/** The controls that are always shown, and those behind a disclosure. */
const main: readonly Name[] = ['capacity', 'load', 'spike', 'timeout', 'fixed', 'queueTimeout'];
const more: readonly Name[] = ['retries', 'queueLimit', 'critical', 'order'];

/** With these, a reader wants the code of the fixed limit. */
const ofFixedLimit: readonly Name[] = ['fixed', 'queueLimit', 'queueTimeout'];

interface Control {
  readonly field: HTMLElement;
  show(settings: Settings): void;
}

/** Called with the new settings: `input` while a slider moves, `change` when the value is final. */
export interface ControlEvents {
  input(settings: Settings): void;
  change(settings: Settings, name: string): void;
}

/** The sliders and selects. */
export class Controls {
  readonly field = element('form', { class: 'controls' });
  /** The choice of the code. */
  readonly limit = select('limit');
  readonly #main = main.map(controlOf);
  readonly #more = more.map(controlOf);
  readonly #details = element('details', {}, element('summary', {}, 'More settings'));

  constructor(
    private settings: Settings,
    events: ControlEvents,
  ) {
    const grid = (name: string, controls: readonly Control[]) =>
      element('div', { class: name }, ...controls.map(({ field }) => field));
    this.#details.append(grid('more', this.#more));
    this.field.append(grid('main', this.#main), this.#details);
    this.field.addEventListener('submit', (event) => event.preventDefault());
    for (const part of [this.field, this.limit.field]) {
      part.addEventListener('input', ({ target }) => {
        const { id, value } = target as HTMLInputElement | HTMLSelectElement;
        this.settings = { ...this.settings, [id]: id in ranges ? Number(value) : value };
        if (ofFixedLimit.includes(id as Name)) {
          this.settings = { ...this.settings, limit: 'fixed' };
          this.limit.show(this.settings);
        }
        events.input(this.settings);
      });
      part.addEventListener('change', ({ target }) =>
        events.change(this.settings, (target as HTMLElement).id),
      );
    }
    this.show(settings);
  }

  show(settings: Settings): void {
    this.settings = settings;
    for (const control of [...this.#main, ...this.#more, this.limit]) control.show(settings);
    // No setting that was changed is hidden.
    this.#details.open ||= more.some((name) => settings[name] !== initialSettings[name]);
  }
}

function controlOf(name: Name): Control {
  return name in ranges ? slider(name as RangeName) : select(name as ChoiceName);
}

function slider(name: RangeName): Control {
  const { label, min, max, step, text } = ranges[name];
  const control = element('input', { id: name, type: 'range', min, max, step });
  const shown = element('span', { class: 'value', 'aria-hidden': 'true' });
  const write = () => {
    shown.textContent = text(control.valueAsNumber);
    control.setAttribute('aria-valuetext', text(control.valueAsNumber));
  };
  control.addEventListener('input', write);
  const caption = element('div', {}, element('label', { for: name }, label), ' ', shown);
  return {
    field: element('div', { class: 'control' }, caption, control),
    show(settings) {
      control.value = `${settings[name]}`;
      write();
    },
  };
}

function select(name: ChoiceName): Control {
  const { label, options } = choices[name];
  const entries = Object.entries(options).map(([value, text]) =>
    element('option', { value }, text),
  );
  const control = element('select', { id: name }, ...entries);
  return {
    field: element('div', { class: 'control' }, element('label', { for: name }, label), control),
    show(settings) {
      control.value = settings[name];
    },
  };
}
