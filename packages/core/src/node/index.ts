export { type EventLoopGuardOptions, eventLoopGuard } from './event-loop-guard.ts';
