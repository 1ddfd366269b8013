/**
 * After so much of a lease it is renewed. As a call takes a third of it at most, a second try is answered in time, too,
 * where the first got lost.
 */
export const renewalPart = 1 / 3;

/**
 * After so much without an answer it is tried again: before the first try is given up, else the second could come too
 * late.
 */
export const retryPart = 1 / 6;

/**
 * What is due within so much is done at once, to travel together: little, as renewals then come too early by as much.
 * It is also the room between two tries of a release, and before the end of a wait.
 */
export const slackPart = 1 / 24;

/** For so much it is certain, from when it was asked for: the rest is for timers that are late. */
export const certainPart = 0.9;
