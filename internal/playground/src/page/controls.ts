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

type Changed = (name: RangeName | ChoiceName, value: number | string) => void;

/** Called with the new settings: `input` while a slider moves, `change` when the value is final. */
export interface ControlEvents {
  input(settings: Settings): void;
  change(settings: Settings, name: string): void;
}

/** The sliders and selects. */
export class Controls {
  readonly field = element('form', { class: 'controls' });
  readonly #controls: readonly Control[];

  constructor(
    private settings: Settings,
    events: ControlEvents,
  ) {
    const set = (name: string, value: number | string) => {
      this.settings = { ...this.settings, [name]: value };
    };
    const input: Changed = (name, value) => {
      set(name, value);
      events.input(this.settings);
    };
    const change: Changed = (name, value) => {
      set(name, value);
      events.change(this.settings, name);
    };
    const controls: Control[] = [];
    for (const [legend, names] of Object.entries(groups)) {
      const own = names.map((name) =>
        name in ranges
          ? slider(name as RangeName, input, change)
          : select(name as ChoiceName, input, change),
      );
      controls.push(...own);
      const title = element('legend', {}, legend);
      this.field.append(element('fieldset', {}, title, ...own.map(({ field }) => field)));
    }
    this.#controls = controls;
    this.field.addEventListener('submit', (event) => event.preventDefault());
    this.show(settings);
  }

  show(settings: Settings): void {
    this.settings = settings;
    for (const control of this.#controls) control.show(settings);
  }
}

function slider(name: RangeName, input: Changed, change: Changed): Control {
  const { label, min, max, step, text } = ranges[name];
  const control = element('input', { id: name, type: 'range', min, max, step });
  const shown = element('span', { class: 'value', 'aria-hidden': 'true' });
  const write = () => {
    shown.textContent = text(control.valueAsNumber);
    control.setAttribute('aria-valuetext', text(control.valueAsNumber));
  };
  control.addEventListener('input', () => {
    write();
    input(name, control.valueAsNumber);
  });
  control.addEventListener('change', () => change(name, control.valueAsNumber));
  const caption = element('div', {}, element('label', { for: name }, label), ' ', shown);
  return {
    field: element('div', { class: 'control' }, caption, control),
    show(settings) {
      control.value = `${settings[name]}`;
      write();
    },
  };
}

function select(name: ChoiceName, input: Changed, change: Changed): Control {
  const { label, options } = choices[name];
  const entries = Object.entries(options).map(([value, text]) =>
    element('option', { value }, text),
  );
  const control = element('select', { id: name }, ...entries);
  control.addEventListener('change', () => {
    input(name, control.value);
    change(name, control.value);
  });
  return {
    field: element('div', { class: 'control' }, element('label', { for: name }, label), control),
    show(settings) {
      control.value = settings[name];
    },
  };
}
