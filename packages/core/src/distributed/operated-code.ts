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

/** The state with this code; undefined if there is none. */
export function operatedState(code: number, version: string): OperatedState | undefined {
  const status = statuses[code % SHADOW];
  if (status === undefined || code >= 2 * SHADOW) return undefined;
  return { status, mode: code >= SHADOW ? 'shadow' : 'enforce', version };
}
