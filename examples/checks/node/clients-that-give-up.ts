import assert from 'node:assert/strict';
import type { Program } from '../program.ts';

export async function check(program: Program): Promise<void> {
  assert.equal(await program.exited, 0);
  const [plain = 0, headgate = 0] = [...program.output.matchAll(/answered (\d+) %/g)].map(
    ([, part]) => Number(part),
  );
  assert.ok(headgate > 2 * plain, program.output);
}
