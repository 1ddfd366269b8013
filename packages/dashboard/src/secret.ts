import { timingSafeEqual } from 'node:crypto';

/** Compares in a time that does not depend on the secret. */
export function isSecret(given: string, secret: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(secret)];
  return one.length === other.length && timingSafeEqual(one, other);
}
