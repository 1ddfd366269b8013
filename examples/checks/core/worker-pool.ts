import assert from 'node:assert/strict';
import type { Program } from '../program.ts';

export async function check(program: Program): Promise<void> {
  assert.equal(await program.exited, 0);
  const expected = '20 sent, at most 4 at once; the last: invoice 20 over 200\n';
  assert.equal(program.output, expected);
}
