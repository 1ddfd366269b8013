/**
 * Fraction of a lease after which it is renewed. A call takes at most a third of a lease, so if the first renewal is
 * lost, a second one is still answered in time.
 */
export const renewalPart = 1 / 3;

/**
 * Fraction of a lease after which a renewal without an answer is retried: before the first one times out, as a later
 * retry could be too late.
 */
export const retryPart = 1 / 6;

/**
 * Fraction of a lease within which due renewals are sent early, to share a round trip. Small, since renewals become
 * more frequent by as much. Also the interval between two tries of a release, and the margin before the end of a
 * wait.
 */
export const slackPart = 1 / 24;
