/** The one whose figures are asked for, and what it can do besides. */
export const ours = 'headgate';
export const handingOff = 'headgate, handoff: 10';
export const reserving = 'headgate, reserve: 2';
