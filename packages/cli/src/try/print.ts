import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aligned, CommandError, type Output } from '../output.ts';
import type { TryOptions } from './options.ts';
import { pageOf } from './report.ts';
import { type Result, rowsOf } from './result.ts';

/** Prints a result, and writes the report. */
export function print(result: Result, options: TryOptions, { stdout }: Output): void {
  const report = options.report ?? join(tmpdir(), `headgate-try-${process.pid}.html`);
  const rows = rowsOf(result);
  const { typical, ...json } = result;
  if (options.json) stdout.write(`${JSON.stringify({ ...json, report }, null, 2)}\n`);
  else stdout.write(`${result.sentence}\n\n${aligned(rows)}\n\nThe curves: ${report}\n`);
  // Last, so that the result is not lost.
  try {
    writeFileSync(report, pageOf(result, rows));
  } catch (error) {
    throw new CommandError(`${report}: ${(error as Error).message}`, 1);
  }
}

/** The current step: one line that is rewritten in a terminal, otherwise a line for each step. */
export class Progress {
  readonly #stderr: Output['stderr'];
  #step = '';

  constructor(stderr: Output['stderr']) {
    this.#stderr = stderr;
  }

  step(name: string): void {
    this.#step = name;
    if (!this.#stderr.isTTY) this.#stderr.write(`${name}\n`);
  }

  show(text: string): void {
    const { isTTY, columns } = this.#stderr;
    if (isTTY)
      this.#stderr.write(`\r\x1b[2K${`${this.#step}: ${text}`.slice(0, (columns || 80) - 1)}`);
  }

  clear(): void {
    if (this.#stderr.isTTY) this.#stderr.write('\r\x1b[2K');
  }
}
