const nobody = 65_534;

/** For programs that refuse to run as root, which has to lend them somebody's identity: what `spawn` is to be told. */
export const identity: { readonly uid?: number; readonly gid?: number } =
  process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
