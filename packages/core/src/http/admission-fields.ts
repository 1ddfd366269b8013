import type { RejectionReason } from '../semaphore/rejection.ts';
import type { Admission } from './admission.ts';

/** What an access log says about the admission of a request. */
export interface AdmissionFields {
  /**
   * `admitted`, `unlimited` if no limit applied, or the reason of the rejection. Undefined if the request did not reach
   * the limit, or if its client left the queue.
   */
  readonly outcome: 'admitted' | 'unlimited' | RejectionReason | undefined;
  /** Milliseconds in the queue. */
  readonly waited: number | undefined;
  /** Name of the limit that rejected the request. */
  readonly limit: string | undefined;
}

/** Describes an admission in the fields of an access log, for instance `res.locals.admission` of Express. */
export function admissionFields(admission: Admission | undefined): AdmissionFields {
  if (admission === undefined) return { outcome: undefined, waited: undefined, limit: undefined };
  const { permit, rejection, waited } = admission;
  const outcome = rejection?.reason ?? (permit === undefined ? 'unlimited' : 'admitted');
  return { outcome, waited, limit: rejection?.limitName };
}
