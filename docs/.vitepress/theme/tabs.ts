import { inBrowser, onContentUpdated } from 'vitepress';

/** The name under which the browser keeps the chosen framework and package manager. */
const KEY = 'headgate-tabs';

type Choices = Record<string, string>;

/** Chooses the same tab in all groups of a kind, also on the pages that the reader opens later. */
export function rememberTabs(): void {
  if (inBrowser) document.addEventListener('change', chosen);
  onContentUpdated(() => {
    for (const [kind, label] of Object.entries(readChoices())) check(kind, label);
  });
}

function chosen({ target }: Event): void {
  if (!(target instanceof HTMLInputElement)) return;
  const kind = kindOf(target);
  if (kind === undefined) return;
  const top = target.getBoundingClientRect().top;
  check(kind, target.value);
  keepChoices({ ...readChoices(), [kind]: target.value });
  // Panels above may have changed their height: the tab stays where the reader has chosen it.
  window.scrollBy({ top: target.getBoundingClientRect().top - top, behavior: 'instant' });
}

function check(kind: string, label: string): void {
  for (const radio of document.querySelectorAll<HTMLInputElement>('.tabs-bar input')) {
    if (kindOf(radio) === kind && radio.value === label) radio.checked = true;
  }
}

function kindOf(radio: HTMLInputElement): string | undefined {
  return radio.closest<HTMLElement>('.tabs')?.dataset.kind;
}

function readChoices(): Choices {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    return typeof kept === 'object' && kept !== null ? (kept as Choices) : {};
  } catch {
    return {}; // Edited by hand, or the browser allows no storage.
  }
}

function keepChoices(choices: Choices): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(choices));
  } catch {
    // The browser allows no storage: the choice lasts until the page is left.
  }
}
