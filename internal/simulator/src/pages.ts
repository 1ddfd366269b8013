import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { withText } from './page.ts';
import type { Scenario } from './scenario.ts';

const docs = resolve(import.meta.dirname, '../../../docs');

/** Most scenarios are experiments, which belong in the laboratory notebook. */
const pages = ['overload.md', 'lab/simulations.md'].map((page) => join(docs, page));

/** The files of the pages with a marker for the scenario's figures. */
export function pagesOf({ id }: Scenario): readonly string[] {
  return pages.filter((page) => readFileSync(page, 'utf8').includes(`<!-- figures: ${id} -->`));
}

/** Writes a text into a page, such as `lab/queue.md`, at the marker for it. */
export function writeText(name: string, id: string, text: string): void {
  const page = join(docs, name);
  writeFileSync(page, withText(readFileSync(page, 'utf8'), id, text));
}

/** The file of the scenario's plot. */
export const plotOf = ({ id }: Scenario): string => join(docs, 'overload', `${id}.svg`);
