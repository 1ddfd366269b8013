import type { Permit } from '../semaphore/permit.ts';
import type { Rejection, RejectionReason } from '../semaphore/rejection.ts';
import type { ClientDeadline } from './client-deadline.ts';

/**
 * What a handler learns about its admission: a permit, a rejection (in degraded mode), or neither (no limit applied).
 */
export type Admission = {
  /**
   * Whole milliseconds for which the client still waits, now: a timeout for the handler's own calls. 0 once it no longer
   * waits. Undefined unless the limit has a `queueTimeout` of `timeLeft()` and a header of the request says it.
   */
  readonly timeLeft: number | undefined;
} & (
  | {
      /** The permit, which is released when the response has ended. */
      readonly permit: Permit;
      /** Milliseconds spent in the queue. */
      readonly waited: number;
      /** Undefined, since the request was admitted. */
      readonly rejection: undefined;
    }
  | {
      /** Undefined, since the request was rejected. */
      readonly permit: undefined;
      /** Milliseconds spent in the queue. */
      readonly waited: number;
      /** Why the request was rejected, if `onReject` lets a handler serve it nevertheless. */
      readonly rejection: Rejection;
    }
  | {
      /** Undefined, since no limit applies to the request. */
      readonly permit: undefined;
      /** 0, since no limit applies to the request. */
      readonly waited: 0;
      /** Undefined, since no limit applies to the request. */
      readonly rejection: undefined;
    }
);

/** The admission of a request to which no limit applies. */
export const unlimited: Admission = {
  permit: undefined,
  waited: 0,
  rejection: undefined,
  timeLeft: undefined,
};

/** The admission of a request that has been admitted or rejected. */
export function admissionOf(
  permit: Permit | undefined,
  rejection: Rejection | undefined,
  deadline: ClientDeadline | undefined,
): Admission {
  const waited = permit?.waited ?? rejection?.waited ?? 0;
  if (deadline === undefined)
    return { permit, waited, rejection, timeLeft: undefined } as Admission;
  const withDeadline = {
    permit,
    waited,
    rejection,
    get timeLeft() {
      return deadline.timeLeft;
    },
  };
  return withDeadline as Admission;
}

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
