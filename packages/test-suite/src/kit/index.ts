/**
 * Exports for the tests of this repository only, in addition to the published names. This entry point is not published.
 */

export { topics } from '../contract/index.ts';
export type { SuiteHandler, SuiteLimit } from '../framework.ts';
export { ok } from './handlers.ts';
export { collectErrors, collectWarnings } from './output.ts';
export { recordingLimit } from './recording-limit.ts';
export { aRound } from './until.ts';
export type { Running } from './world.ts';
