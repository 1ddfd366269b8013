/** A line of an access log. */
export interface Entry {
  /** When the request ended, in milliseconds since 1970. */
  readonly end: number;
  /** Milliseconds that the server took. */
  readonly took: number;
  /** Whether `took` includes the time in which the client received the answer. */
  readonly includesClient: boolean;
  /** Without the query. */
  readonly path: string;
  /** 499 if the client left. */
  readonly status: number;
}
