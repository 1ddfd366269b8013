import assert from 'node:assert/strict';
import type { Program } from '../program.ts';

export async function check(program: Program): Promise<void> {
  const leaving = new AbortController();
  const first = await stream(program, leaving.signal);
  const second = await stream(program);
  const third = await program.fetch('/chat?prompt=why');
  assert.equal(third.status, 503, 'two streams hold both permits');

  leaving.abort();
  await program.until('/stats', ({ holders }) => holders === 1);
  await assert.rejects(first.rest());
  assert.match(await second.rest(), /data: while\.\n\n$/, 'the other stream is sent to its end');
  await program.until('/stats', ({ holders }) => holders === 0);
}

/** Starts a stream; resolves when its first token arrives. */
async function stream(program: Program, signal?: AbortSignal) {
  const { body } = await program.fetch('/chat?prompt=why', signal && { signal });
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = (await reader?.read())?.value ?? '';
  assert.match(text, /^data: You\n\n/);
  async function rest() {
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
      text += next.value;
    }
    return text;
  }
  return { rest };
}
