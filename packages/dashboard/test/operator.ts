import type { Handle } from '@headgate/core';
import type { Access } from '../src/options.ts';
import { type AppOptions, type Start, startApp } from './apps.ts';

/** Starts an app whose operators send `X-User: ann`. */
export async function startOperated(
  start: Start,
  limits: Handle[],
  more: Partial<AppOptions> = {},
) {
  const app = await startApp(start, {
    limits: () => limits,
    ...more,
    authorize: (header): Access => (header('x-user') === 'ann' ? 'operate' : 'view'),
  });
  const url = `${app.url}/admin/limits/operate`;
  const answer = await fetch(`${app.url}/admin/limits/state`, { headers: { 'X-User': 'ann' } });
  const state = await answer.json();
  const json = {
    'X-User': 'ann',
    'X-Headgate-Token': state.token,
    'Content-Type': 'application/json',
  };
  const ids: number[] = state.limits.map(({ id }: { id: number }) => id);
  const post = async (body: unknown, headers: Record<string, string> = {}) => {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { ...json, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify({ id: ids[0], ...(body as object) }),
    });
    return { status: answer.status, text: await answer.text() };
  };
  return { ...app, url, state, ids, post, json };
}
