import type { Row } from './rows.ts';

const headings = { label: 'During the spike', bare: 'unprotected', guarded: 'with Headgate' };

/** Formats the rows as text columns. */
export function table(rows: readonly Row[]): string {
  const labels = rows.map(({ label, detail }) => (detail ? `  ${label}` : label));
  const width = maxWidth([headings.label, ...labels]);
  const bareWidth = maxWidth([headings.bare, ...rows.map(({ bare }) => bare)]);
  const guardedWidth = maxWidth([headings.guarded, ...rows.map(({ guarded }) => guarded)]);
  const line = (label: string, bare: string, guarded: string) =>
    `  ${label.padEnd(width)}   ${bare.padStart(bareWidth)}   ${guarded.padStart(guardedWidth)}`;
  return [
    line(headings.label, headings.bare, headings.guarded),
    `  ${'─'.repeat(width + bareWidth + guardedWidth + 6)}`,
    ...rows.map(({ bare, guarded }, index) => line(labels[index] ?? '', bare, guarded)),
  ].join('\n');
}

const maxWidth = (texts: readonly string[]) => Math.max(...texts.map((text) => text.length));
