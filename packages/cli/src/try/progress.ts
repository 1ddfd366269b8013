import type { Output } from '../output.ts';

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
