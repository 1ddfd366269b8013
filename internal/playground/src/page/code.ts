import { codeOf } from '../code.ts';
import type { Settings } from '../settings.ts';
import { element } from './dom.ts';

/** The code to copy, and the button that copies it. */
export class Code {
  readonly field: HTMLElement;
  readonly #code = element('code');
  readonly #button = element('button', { type: 'button' }, 'Copy the code');
  readonly #copied = element('span', { role: 'status' });

  constructor() {
    this.#button.addEventListener('click', () => void this.#copy());
    const buttons = element('p', { class: 'buttons' }, this.#button, ' ', this.#copied);
    this.field = element('div', { class: 'code' }, element('pre', {}, this.#code), buttons);
  }

  show(settings: Settings): void {
    this.#code.textContent = codeOf(settings);
    this.#copied.textContent = '';
  }

  async #copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(this.#code.textContent ?? '');
      this.#copied.textContent = 'Copied.';
    } catch {
      // Browsers offer no clipboard to pages without TLS, and users may refuse it.
      getSelection()?.selectAllChildren(this.#code);
      this.#copied.textContent =
        'The browser does not allow it. The code is selected: copy it with the keyboard.';
    }
  }
}
