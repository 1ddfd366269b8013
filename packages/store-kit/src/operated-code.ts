import { type OperatedChange, type OperatedState, statuses } from './contract.ts';

/** Added to the code of a status in shadow mode. */
const SHADOW = 4;

/**
 * Encodes a change, for stores that keep a limit's state as a number. The code of a state is the sum of two codes:
 * `open` 0, `paused` 1, `rejecting` 2; `enforce` 0, `shadow` 4. A code is undefined if that part does not change.
 */
export function operatedCodes({ status, mode }: OperatedChange) {
  return {
    /** The code of the status; undefined if it does not change. */
    status: status === undefined ? undefined : statuses.indexOf(status),
    /** The code of the mode; undefined if it does not change. */
    mode: mode === undefined ? undefined : mode === 'shadow' ? SHADOW : 0,
  };
}

/** The sum of both codes. */
export function operatedCode(operated: OperatedState): number {
  const { status = 0, mode = 0 } = operatedCodes(operated);
  return status + mode;
}

/**
 * Whether a state is later than another one. Two keys may have been changed at the same version: the higher code then
 * wins, so that all processes and keys agree.
 */
export function isLater(operated: OperatedState, than: OperatedState | undefined): boolean {
  if (than === undefined) return true;
  const difference = Number(operated.version) - Number(than.version);
  return difference > 0 || (difference === 0 && operatedCode(operated) > operatedCode(than));
}

/** The state with this code; undefined if the code is unknown, and for a limit that was never operated. */
export function operatedState(code: number, version: string): OperatedState | undefined {
  const status = statuses[code % SHADOW];
  if (status === undefined || code >= 2 * SHADOW || version === '0') return undefined;
  return { status, mode: code >= SHADOW ? 'shadow' : 'enforce', version };
}
