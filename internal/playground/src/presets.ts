import { fragmentOf } from './fragment.ts';
import { initialSettings, type Settings } from './settings.ts';

/** Settings that show something, and what they show. */
export interface Preset {
  readonly name: string;
  readonly changed: Partial<Settings>;
  readonly lesson: string;
}

export const presets: readonly Preset[] = [
  {
    name: 'Spike',
    changed: {},
    lesson:
      'The bare server does not recover: its clients retry, and it works for clients that have left. Either limit ' +
      'prevents that. The fixed limit suits this server, so the default limit is no better.',
  },
  {
    name: 'Wrong number',
    changed: { fixed: 100 },
    lesson:
      'A fixed limit of 100 is too high for this server: it admits more requests than the server can answer in time. ' +
      'The default limit needs no number, and adapts.',
  },
  {
    name: 'Short timeout',
    changed: { timeout: 300, queueTimeout: 100 },
    lesson:
      'The default limit is worse here. It lets requests wait for 0.25 s, and these clients give up after 0.3 s. ' +
      'A fixed limit with a queue timeout of 0.1 s rejects early enough.',
  },
];

export const settingsOfPreset = ({ changed }: Preset): Settings => ({
  ...initialSettings,
  ...changed,
});

/** The address of the preset. */
export const linkTo = (preset: Preset): string =>
  fragmentOf(settingsOfPreset(preset)) || '#playground?';

/** The preset with these settings, whichever code is shown. */
export function presetOf(settings: Settings): Preset | undefined {
  const fragment = fragmentOf({ ...settings, limit: initialSettings.limit });
  return presets.find((preset) => fragmentOf(settingsOfPreset(preset)) === fragment);
}
