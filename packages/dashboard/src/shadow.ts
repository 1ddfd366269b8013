import type { RejectionReason } from '@headgate/core';

interface Forecast {
  readonly rejectedShare: number;
  readonly waitP50: number;
  readonly waitP99: number;
}

export interface ShadowView extends Forecast {
  readonly admitted: number;
  readonly queued: number;
}

export interface SuggestionView {
  readonly assumption: string;
  readonly limits: readonly (Forecast & {
    readonly limit: number;
    readonly inflightPeak: number;
  })[];
  readonly lowest: Readonly<Record<'5%' | '1%' | '0.1%', number | undefined>>;
}

/** What the core will report. */
export interface FutureStats {
  readonly inflightPeak?: number;
  readonly wouldReject?: Readonly<Record<RejectionReason, number>>;
  readonly shadow?: ShadowView | undefined;
  readonly suggestion?: SuggestionView | undefined;
}
