import { isInRange } from './ranges.ts';
import {
  choiceNames,
  choices,
  initialSettings,
  rangeNames,
  ranges,
  type Settings,
} from './settings.ts';

/** Distinguishes the fragment from the anchors of a page's headings. */
const PREFIX = '#playground?';

/** The fragment of a URL that restores the settings: those that were changed. Empty if none was. */
export function fragmentOf(settings: Settings): string {
  const names = [...rangeNames, ...choiceNames];
  const changed = names.filter((name) => settings[name] !== initialSettings[name]);
  if (changed.length === 0) return '';
  return `${PREFIX}${changed.map((name) => `${name}=${settings[name]}`).join('&')}`;
}

/**
 * The settings in the fragment of a URL. Undefined if it is an anchor of the page. Values that are missing or not allowed
 * are ignored.
 */
export function settingsOf(fragment: string): Settings | undefined {
  if (fragment === '' || fragment === '#') return initialSettings;
  if (!fragment.startsWith(PREFIX)) return undefined;
  const fields = new URLSearchParams(fragment.slice(PREFIX.length));
  const found: Record<string, number | string> = {};
  for (const name of rangeNames) {
    const field = fields.get(name) ?? '';
    if (/^\d+(\.\d+)?$/.test(field) && isInRange(Number(field), ranges[name]))
      found[name] = Number(field);
  }
  for (const name of choiceNames) {
    const field = fields.get(name);
    if (field !== null && Object.hasOwn(choices[name].options, field)) found[name] = field;
  }
  return { ...initialSettings, ...found };
}
