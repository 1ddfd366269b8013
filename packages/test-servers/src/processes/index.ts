export { type CrashDriver, crashSuite } from './crash-suite.ts';
export { useCrew } from './crew.ts';
export { Instance, type Tell } from './instance.ts';
export type { Held, Limited, Waiting } from './limited.ts';
export { type SavingDriver, savingSuite } from './saving-suite.ts';
export { serve } from './serve.ts';
export { type LimitOptions, type LimitSettings, limitSettings } from './settings.ts';
