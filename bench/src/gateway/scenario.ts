/** Answers that the provider streams at once. It queues further requests. */
export const slots = 8;

/** Milliseconds from one token of an answer to the next. */
export const tokenTime = 5;

/** Tokens that the provider can produce per second. */
export const capacity = (slots * 1_000) / tokenTime;

/** What a gateway believes of every request: tokens of the prompt, and of the answer. */
export const promptTokens = 10;
export const estimate = 50;

/** Tokens of an answer of the greedy tenant. */
export const greedyAnswer = 200;

/** Milliseconds after which a client gives up. */
export const patience = 10_000;

/** Headers of a request to the gateway. The number of tokens is only for the provider, as the model decides it. */
export const tenantHeader = 'x-tenant';
export const tokensHeader = 'x-tokens';

export interface Tenant {
  readonly name: string;
  /** Tokens of each answer. */
  readonly tokens: number;
  /** Tokens requested per second, as a part of the capacity. */
  readonly load: number;
}

const modest = Array.from({ length: 9 }, (_, number) => `modest ${number + 1}`);

/** Nine tenants that together request almost the capacity. */
export const alone: readonly Tenant[] = modest.map((name) => ({
  name,
  tokens: 40,
  load: 0.95 / 9,
}));

/**
 * Nine tenants that use less than their share, and one whose answers are five times as long. Together, they request five
 * times the capacity.
 */
export const withGreedy: readonly Tenant[] = [
  ...modest.map((name) => ({ name, tokens: 40, load: 0.08 })),
  { name: 'greedy', tokens: greedyAnswer, load: 5 - 9 * 0.08 },
];

/** All ten tenants request half of the capacity each, so all of them always have requests queued. */
export const allGreedy: readonly Tenant[] = [
  ...modest.map((name) => ({ name, tokens: 40, load: 0.5 })),
  { name: 'greedy', tokens: greedyAnswer, load: 0.5 },
];
