/** What distinguishes the runtimes. Node's globals exist in others, too, and none of them everywhere. */
interface Globals {
  readonly navigator?: { readonly userAgent?: string };
  readonly process?: { readonly versions?: Readonly<Record<string, string>> };
}

const { versions = {} } = (globalThis as Globals).process ?? {};

export const onBun = versions.bun !== undefined;

export const onDeno = versions.deno !== undefined;

/** Whether this is Cloudflare Workers. */
export function onWorkers(): boolean {
  return (globalThis as Globals).navigator?.userAgent === 'Cloudflare-Workers';
}
