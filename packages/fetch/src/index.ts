export { type LimitedFetch, limitFetch } from './limit-fetch.ts';
export { RetryBudget } from './retry-budget.ts';
