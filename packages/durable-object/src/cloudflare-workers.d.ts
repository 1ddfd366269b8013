declare module 'cloudflare:workers' {
  /** Extends the life of the request in whose context it is called. */
  export function waitUntil(work: Promise<unknown>): void;
}
