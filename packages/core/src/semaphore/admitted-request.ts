import type { Priority } from './priority.ts';

/** What an order knows of an admitted request. */
export interface AdmittedRequest {
  readonly priority: Priority;
  readonly fairBy: string | undefined;
  /** Name of its share, if the limit is divided. */
  readonly share: string | undefined;
}
