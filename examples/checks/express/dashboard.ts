import assert from 'node:assert/strict';
import type { Program } from '../program.ts';

export async function check(program: Program): Promise<void> {
  const path = '/admin/limits/';
  assert.equal((await program.fetch(path)).status, 401);
  const login = { Authorization: `Basic ${btoa('me:secret')}` };
  const page = await program.fetch(path, { headers: login });
  assert.match(await page.text(), /<h1>Limits<\/h1>/);
  const state = await (await program.fetch(`${path}state`, { headers: login })).json();
  const [{ id, name }] = state.limits;
  assert.equal(name, 'api');

  // As the page does when an operator pauses the limit.
  const paused = await program.fetch(`${path}operate`, {
    method: 'POST',
    headers: {
      ...login,
      'X-Headgate-Token': state.token,
      'Content-Type': 'application/json',
    },
    body: JSON.stringify({ id, operation: 'rejectAll' }),
  });
  assert.equal(paused.status, 204);
  assert.equal((await program.fetch('/')).status, 503);

  program.child.kill('SIGTERM');
  assert.equal(await program.exited, 0);
}
