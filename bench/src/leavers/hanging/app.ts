import type { Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import { portOf } from '../../hosts/host.ts';
import { ask } from '../clients.ts';
import { SLOW, type Work } from './work.ts';

/** Makes a server with the limit. */
export type Serve = (work: Work) => Server | Promise<Server>;

/** Servers by what their handlers do. */
export type Apps = Readonly<Record<string, Serve>>;

export const frameworks = ['express', 'node', 'koa', 'hono', 'fastify'] as const;

export type Framework = (typeof frameworks)[number];

/** Loads the servers of one framework: the others would only delay the start of a process. */
export async function appsOf(framework: Framework): Promise<Apps> {
  return ((await import(`./${framework}-apps.js`)) as { apps: Apps }).apps;
}

/** Starts a server by the name of its framework and of what its handlers do. Returns its port once it responds. */
export async function startApp(framework: Framework, app: string, work: Work): Promise<number> {
  const serve = (await appsOf(framework))[app];
  if (serve === undefined) throw new Error(`${framework} has no app called ${app}`);
  const port = await portOf(await serve(work));
  if (!(await ask(port, { path: SLOW }))) throw new Error(`${app} does not respond`);
  return port;
}

/** A server without a limit of its own, which the hook limits. */
export const behindHook =
  (serve: Serve): Serve =>
  async (work) => {
    process.env.HEADGATE = fileURLToPath(new URL('./hook-configuration.js', import.meta.url));
    // Its line at the start would be repeated for each process.
    console.error = () => {};
    await import('@headgate/node/register');
    return serve(work);
  };
