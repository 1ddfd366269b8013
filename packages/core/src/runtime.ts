/** What distinguishes the runtimes. Node's globals exist in others, too, and none of them everywhere. */
interface Globals {
  readonly navigator?: { readonly userAgent?: string };
  readonly process?: {
    readonly versions?: Readonly<Record<string, string>>;
    getBuiltinModule?<Module>(name: string): Module | undefined;
  };
}

const { process } = globalThis as Globals;
const { versions = {} } = process ?? {};

export const onBun = versions.bun !== undefined;

export const onDeno = versions.deno !== undefined;

/** Whether this is Cloudflare Workers. */
export function onWorkers(): boolean {
  return (globalThis as Globals).navigator?.userAgent === 'Cloudflare-Workers';
}

/**
 * Loads one of Node's modules at run time, since bundles for other runtimes must not import it. Undefined where there is
 * none, and on Workers, which imitate some that have no effect there.
 */
export function builtin<Module>(name: string): Module | undefined {
  return onWorkers() ? undefined : process?.getBuiltinModule?.<Module>(name);
}
