export * from '@headgate/core/app';
export type { HttpHandle } from '@headgate/core/http';
export { ConcurrencyLimit, type ConcurrencyLimitDecorator } from './decorator.ts';
export { type ConcurrencyLimitOptions, RejectionException } from './limit-interceptor.ts';
export { CONCURRENCY_LIMIT, ConcurrencyLimitModule } from './module.ts';
export { RejectedFilter } from './rejected-filter.ts';
