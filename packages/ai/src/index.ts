export { anthropicError } from './anthropic.ts';
export { openaiError } from './openai.ts';
export type { Refusal } from './refusal.ts';
export { reportRefusal } from './report-refusal.ts';
export { type Usage, UsageReader } from './usage-reader.ts';
