import { codeOf } from '../code.ts';
import type { Settings } from '../settings.ts';
import { element } from './dom.ts';

/** The code to copy, and the button that copies it. */
export class Code {
  readonly field: HTMLElement;
  readonly #code = element('code');
  readonly #button = element('button', { type: 'button' }, 'Copy the code');
  readonly #copied = element('span', { role: 'status' });

  /** @param choice Chooses the limit whose code is shown. */
  constructor(choice: HTMLElement) {
    this.#button.addEventListener('click', () => void this.#copy());
    const tools = element('div', { class: 'tools' }, choice, this.#button, this.#copied);
    this.field = element('div', {}, tools, element('pre', {}, this.#code));
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
