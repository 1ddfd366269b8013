const NOBODY_ID = 65_534;

/**
 * Options of `spawn` that run a program as another user, if this process is root and the program refuses to run as
 * root.
 */
export const identity: { readonly uid?: number; readonly gid?: number } =
  process.getuid?.() === 0 ? { uid: NOBODY_ID, gid: NOBODY_ID } : {};
