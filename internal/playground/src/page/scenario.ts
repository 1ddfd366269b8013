import { spike } from '../model/calls.ts';
import { linkTo, presetOf, presets } from '../presets.ts';
import { perSecondOf, type Settings } from '../settings.ts';
import { element } from './dom.ts';

/** What is simulated, in a sentence or two. */
function describe(settings: Settings): string {
  const capacity = perSecondOf(settings);
  const calls = (load: number) => Math.round(capacity * load);
  const peak =
    settings.spike > settings.load
      ? `, and ${calls(settings.spike)} from second ${spike.from} to ${spike.to}`
      : '';
  const retry =
    ['do not retry', 'retry once', 'retry twice'][settings.retries] ??
    `retry ${settings.retries} times`;
  return (
    `A server can answer ${capacity} calls per second. It receives ${calls(settings.load)} per second${peak}. ` +
    `Clients give up after ${settings.timeout / 1000} s and ${retry}. ` +
    'The server and the clients are simulated; the limits are the real code.'
  );
}

/** Links to the presets, what is simulated, and what it shows. */
export class Scenario {
  readonly links = element('nav', { 'aria-label': 'Simulations' });
  readonly description = element('p', { class: 'description' });
  readonly lesson = element('p', { class: 'lesson' });
  readonly #links = presets.map((preset) => element('a', { href: linkTo(preset) }, preset.name));

  constructor() {
    this.links.append(...this.#links);
  }

  show(settings: Settings): void {
    const current = presetOf(settings);
    presets.forEach((preset, index) => {
      const link = this.#links[index] as HTMLElement;
      link.ariaCurrent = preset === current ? 'true' : null;
    });
    this.description.textContent = describe(settings);
    this.lesson.textContent =
      current?.lesson ?? 'A call is answered in time if its client has not given up.';
  }
}
