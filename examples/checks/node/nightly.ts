import assert from 'node:assert/strict';
import type { Program } from '../program.ts';

export async function check(program: Program): Promise<void> {
  const others = [program.another(), program.another()];
  const all = [program, ...others];
  for (const { exited } of all) assert.equal(await exited, 0);
  const outputs = all.map(({ output }) => output.trim()).sort();
  assert.deepEqual(outputs, ['done', 'was already done', 'was already done']);
}
