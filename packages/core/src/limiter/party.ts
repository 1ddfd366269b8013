import { invalid } from '../errors.ts';

/** @throws HeadgateError for what names nobody. */
export function checkParty(party: unknown): string | undefined {
  if (party === undefined || typeof party === 'string') return party;
  throw invalid('party', 'a string', party);
}
