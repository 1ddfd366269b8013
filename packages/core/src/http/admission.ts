import type { Permit } from '../semaphore/permit.ts';
import type { Rejection } from '../semaphore/rejection.ts';

/**
 * What a handler learns about its admission: a permit, a rejection (in degraded mode), or neither (no limit applied).
 */
export type Admission =
  | { readonly permit: Permit; readonly waited: number; readonly rejection: undefined }
  | { readonly permit: undefined; readonly waited: number; readonly rejection: Rejection }
  | { readonly permit: undefined; readonly waited: 0; readonly rejection: undefined };

/** The admission of a request to which no limit applies. */
export const unlimited: Admission = { permit: undefined, waited: 0, rejection: undefined };
