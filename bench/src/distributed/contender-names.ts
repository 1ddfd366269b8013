/** The contender with goals, and its variants. */
export const ours = 'headgate';
export const handingOff = 'headgate, handoff: 10';
export const reserving = 'headgate, reserve: 2';
