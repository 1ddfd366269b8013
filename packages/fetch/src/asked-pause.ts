const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/**
 * Milliseconds until the server accepts requests again, as far as its headers say: `Retry-After`, and the reset headers
 * of exhausted limits of OpenAI and Anthropic. 0 if they say nothing, or nothing sensible.
 */
export function askedPause(headers: Headers): number {
  // Two fields of the same name arrive as "1, 2". The longest pause counts.
  const fields = [Number(headers.get('retry-after-ms')), ...retryAfter(headers.get('retry-after'))];
  for (const kind of ['requests', 'tokens', 'input-tokens', 'output-tokens']) {
    const anthropic = `anthropic-ratelimit-${kind}`;
    if (headers.get(`x-ratelimit-remaining-${kind}`) === '0')
      fields.push(span(headers.get(`x-ratelimit-reset-${kind}`) ?? ''));
    if (headers.get(`${anthropic}-remaining`) === '0')
      fields.push(until(headers.get(`${anthropic}-reset`) ?? ''));
  }
  return Math.max(0, ...fields.filter((pause) => pause > 0));
}

/** A list of numbers of seconds, or a date, which contains a comma itself. */
function retryAfter(field: string | null): number[] {
  if (field === null) return [];
  const seconds = field.split(',').map(Number);
  return seconds.some(Number.isNaN) ? [until(field)] : seconds.map((value) => 1_000 * value);
}

function until(date: string): number {
  return Date.parse(date) - Date.now();
}

/** Longer texts are cut, since it takes quadratic time to search them. */
const MAX_SPAN = 32;

/** Such as `1m30.5s` or `20ms`. */
function span(text: string): number {
  const parts = text.slice(0, MAX_SPAN).matchAll(/([\d.]+)(ms|s|m|h)/g);
  return [...parts].reduce(
    (sum, [, count, unit = '']) => sum + Number(count) * (UNITS[unit] ?? 0),
    0,
  );
}
