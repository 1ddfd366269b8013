import type { Host } from './host.ts';

export const hostNames = ['express', 'koa', 'hono', 'fastify', 'node'] as const;

export type HostName = (typeof hostNames)[number];

/** Loads a framework. The others are not loaded, so that they cost its servers nothing. */
export async function hostOf(name: HostName): Promise<Host> {
  const { host } = (await import(`./${name}.js`)) as { host: Host };
  return host;
}
