import type { Row } from './rows.ts';

const headings = { label: 'During the spike', bare: 'unprotected', guarded: 'with Headgate' };

/** The rows as text, in columns. */
export function table(rows: readonly Row[]): string {
  const labels = rows.map(({ label, detail }) => (detail ? `  ${label}` : label));
  const width = widest([headings.label, ...labels]);
  const bareWidth = widest([headings.bare, ...rows.map(({ bare }) => bare)]);
  const guardedWidth = widest([headings.guarded, ...rows.map(({ guarded }) => guarded)]);
  const line = (label: string, bare: string, guarded: string) =>
    `  ${label.padEnd(width)}   ${bare.padStart(bareWidth)}   ${guarded.padStart(guardedWidth)}`;
  return [
    line(headings.label, headings.bare, headings.guarded),
    `  ${'─'.repeat(width + bareWidth + guardedWidth + 6)}`,
    ...rows.map(({ bare, guarded }, index) => line(labels[index] ?? '', bare, guarded)),
  ].join('\n');
}

const widest = (texts: readonly string[]) => Math.max(...texts.map((text) => text.length));
