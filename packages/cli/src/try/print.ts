import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandError, type Output } from '../output.ts';
import { aligned } from '../table.ts';
import type { TryOptions } from './options.ts';
import { pageOf } from './report/page.ts';
import { type Result, rowsOf } from './result.ts';

/** Prints a result, and writes the report. */
export function print(result: Result, options: TryOptions, { stdout }: Output): void {
  const report = options.report ?? join(tmpdir(), `headgate-try-${process.pid}.html`);
  const rows = rowsOf(result);
  const { typical, ...json } = result;
  if (options.isJson) stdout.write(`${JSON.stringify({ ...json, report }, null, 2)}\n`);
  else stdout.write(`${result.sentence}\n\n${aligned(rows)}\n\nThe curves: ${report}\n`);
  // Last, so that the result is not lost.
  try {
    writeFileSync(report, pageOf(result, rows));
  } catch (error) {
    throw new CommandError(`try: ${report}: ${(error as Error).message}`, 1);
  }
}
