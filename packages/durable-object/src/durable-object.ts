/** The parts of Cloudflare's types that are used here, so that their package is not needed. */

export interface SqlStorage {
  exec(query: string, ...bindings: readonly string[]): Iterable<Record<string, unknown>>;
}

/** The first argument that the runtime passes to the constructor of a Durable Object. */
export interface ObjectContext {
  readonly storage: {
    readonly sql: SqlStorage;
    setAlarm(time: number): Promise<void>;
    deleteAll(): Promise<void>;
  };
}

/** A binding of Durable Objects. */
export interface ObjectNamespace {
  idFromName(name: string): unknown;
  get(id: unknown): {
    fetch(url: string, init: RequestInit): Promise<Response>;
  };
}
