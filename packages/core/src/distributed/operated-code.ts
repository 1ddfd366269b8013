import { type OperatedChange, type OperatedState, statuses } from './contract.ts';

/** Added to the code of a status in shadow mode. */
const SHADOW = 4;

/**
 * The codes of a change, for stores that keep how a limit is operated as a number, which is the sum of both: `open` 0,
 * `paused` 1, `drained` 2; `enforce` 0, `shadow` 4. Undefined: no change.
 */
export function operatedCodes({ status, mode }: OperatedChange) {
  return {
    status: status === undefined ? undefined : statuses.indexOf(status),
    mode: mode === undefined ? undefined : mode === 'shadow' ? SHADOW : 0,
  };
}

/** The sum of both codes. */
export function operatedCode(operated: OperatedState): number {
  const { status = 0, mode = 0 } = operatedCodes(operated);
  return status + mode;
}

/**
 * Whether a state is later than another one. Changes of two keys may have the same version: then the higher code wins, so
 * that all processes and keys agree.
 */
export function isLater(operated: OperatedState, than: OperatedState | undefined): boolean {
  if (than === undefined) return true;
  const difference = Number(operated.version) - Number(than.version);
  return difference > 0 || (difference === 0 && operatedCode(operated) > operatedCode(than));
}

/** The state with this code; undefined if there is none. */
export function operatedState(code: number, version: string): OperatedState | undefined {
  const status = statuses[code % SHADOW];
  if (status === undefined || code >= 2 * SHADOW) return undefined;
  return { status, mode: code >= SHADOW ? 'shadow' : 'enforce', version };
}
