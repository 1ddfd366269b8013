import type { Priority } from './priority.ts';

/** What an order knows of an admitted request. */
export interface AdmittedRequest {
  /** Its class, `normal` unless the caller has set one. */
  readonly priority: Priority;
  /** The group in which it is served by `fair()`; undefined if it has none. */
  readonly fairBy: string | undefined;
  /** Name of its share, if the limit is divided. */
  readonly share: string | undefined;
}
