declare module 'cloudflare:workers' {
  /** The bindings of the Worker. */
  export const env: { readonly LIMITS: import('./durable-object.ts').ObjectNamespace };

  /** Extends the life of the request in whose context it is called. */
  export function waitUntil(work: Promise<unknown>): void;
}
