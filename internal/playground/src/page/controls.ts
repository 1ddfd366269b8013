import { type ChoiceName, choices, type RangeName, ranges, type Settings } from '../settings.ts';
import { element } from './dom.ts';

/** The groups in which the controls appear. */
const groups: Readonly<Record<string, readonly (RangeName | ChoiceName)[]>> = {
  'Server and load': ['capacity', 'load', 'spike'],
  Clients: ['timeout', 'retries', 'critical'],
  'Fixed limit': ['fixed', 'queueLimit', 'queueTimeout'],
  'Order and code': ['order', 'limit'],
};

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
  readonly #controls: Control[] = [];

  constructor(
    private settings: Settings,
    events: ControlEvents,
  ) {
    for (const [legend, names] of Object.entries(groups)) {
      const own = names.map((name) =>
        name in ranges ? slider(name as RangeName) : select(name as ChoiceName),
      );
      this.#controls.push(...own);
      const title = element('legend', {}, legend);
      this.field.append(element('fieldset', {}, title, ...own.map(({ field }) => field)));
    }
    this.field.addEventListener('input', ({ target }) => {
      const { id, value } = target as HTMLInputElement | HTMLSelectElement;
      this.settings = { ...this.settings, [id]: id in ranges ? Number(value) : value };
      events.input(this.settings);
    });
    this.field.addEventListener('change', ({ target }) =>
      events.change(this.settings, (target as HTMLElement).id),
    );
    this.field.addEventListener('submit', (event) => event.preventDefault());
    this.show(settings);
  }

  show(settings: Settings): void {
    this.settings = settings;
    for (const control of this.#controls) control.show(settings);
  }
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
