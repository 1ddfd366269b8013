import type { Outcome } from '../load/index.ts';
import { CommandError } from '../output.ts';
import { percent } from './format.ts';
import type { Probes } from './generator.ts';
import { ShowsNothing } from './verdict.ts';

/** More than this share is not answered by accident. */
const MAX_UNANSWERED = 0.05;

/** @throws CommandError for a URL that does not answer with a page. */
export function checkAnswers(urls: readonly URL[], probes: Probes): void {
  for (const [index, { status, location }] of probes.entries()) {
    if (status >= 200 && status < 300) continue;
    throw new CommandError(problemOf(`${urls[index]?.href}`, status, location), 1);
  }
}

function problemOf(url: string, status: number, location: string | undefined): string {
  if (status === 0) return `nothing answers at ${url}.`;
  if (status < 400)
    return `${url} redirects (${status}) to ${location}. Use that URL: it does the work.`;
  if (status === 401 || status === 403)
    return `${url} answers ${status}. Give what it needs in a file: --headers FILE, with lines such as "Cookie: …".`;
  if (status === 429) return `${url} answers 429: it has a rate limit. Turn it off for this.`;
  if (status === 405) return `${url} answers 405: --body FILE sends a POST.`;
  return `${url} answers ${status}: this would measure an error page. Use the URL of a page that works.`;
}

/** Whether the hook limits requests where it should. The app cannot hide it: it is said on stderr. */
export function checkHook(isHooked: boolean, shouldBe: boolean): void {
  if (isHooked === shouldBe) return;
  throw new CommandError(
    shouldBe
      ? 'the hook limits nothing: HEADGATE is off, or the command starts no server of Node.js, or it hides stderr or replaces NODE_OPTIONS.'
      : 'the command loads the hook by itself. Remove it: try adds it to every second pass.',
    1,
  );
}

/** @throws ShowsNothing if few clients that wait for their answers are rejected, or see errors. */
export function checkOwnLimit(outcomes: Readonly<Record<Outcome, number>>): void {
  const all = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
  const share = (outcome: Outcome) => outcomes[outcome] / all;
  if (share('rejected') > MAX_UNANSWERED)
    throw new ShowsNothing(
      `the server rejects ${percent(share('rejected'))} of the requests of a few clients by itself, with 429 or 503. Turn its own limit off, or choose another page`,
    );
  if (share('answered') < 1 - MAX_UNANSWERED)
    throw new ShowsNothing(
      `a few clients at once are enough for errors: ${percent(share('failed'))} of the requests failed, and ${percent(share('gaveUp'))} were not answered within 10 s`,
    );
}
