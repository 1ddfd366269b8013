const NOBODY_ID = 65_534;

/**
 * Options of `spawn` for a program that refuses to run as root: if this process is root, the program runs as another
 * user.
 */
export const identity: { readonly uid?: number; readonly gid?: number } =
  process.getuid?.() === 0 ? { uid: NOBODY_ID, gid: NOBODY_ID } : {};
