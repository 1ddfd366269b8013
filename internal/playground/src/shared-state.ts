import { fragmentOf, settingsOf } from './fragment.ts';
import { initialSettings, type Settings } from './settings.ts';

/** Milliseconds within which changes of the same control are one entry of the browser's history. */
const SAME_CHANGE_MS = 1000;

/** Keeps the settings in the fragment of the page's URL. */
export class SharedState {
  #lastName: string | undefined;
  #lastTime = 0;

  /** @param restore Called with the settings when the user navigates, with the back button for instance. */
  constructor(private readonly restore: (settings: Settings) => void) {
    addEventListener('popstate', this.#navigated);
  }

  read(): Settings {
    return settingsOf(location.hash) ?? initialSettings;
  }

  /** Saves the settings after a change of the control with this name. */
  save(settings: Settings, name: string): void {
    const now = performance.now();
    const isSameChange = name === this.#lastName && now - this.#lastTime < SAME_CHANGE_MS;
    this.#lastName = name;
    this.#lastTime = now;
    const url = `${location.pathname}${location.search}${fragmentOf(settings)}`;
    if (isSameChange) history.replaceState(null, '', url);
    else history.pushState(null, '', url);
  }

  close(): void {
    removeEventListener('popstate', this.#navigated);
  }

  readonly #navigated = () => {
    this.#lastName = undefined;
    const settings = settingsOf(location.hash);
    if (settings !== undefined) this.restore(settings);
  };
}
