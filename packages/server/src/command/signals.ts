/**
 * The signals that the command handles. Their handlers are registered before other modules are loaded: loading takes
 * some tenths of a second, and a signal may come at once.
 */
export interface Signals {
  /**
   * Resolves with the first SIGTERM or SIGINT. Further ones are ignored, since a terminal and npx both forward the same
   * signal, and blocked requests must still be answered.
   */
  readonly ending: Promise<string>;
  /** Calls back at each SIGHUP, and at once if there was one already. */
  onReload(reload: () => void): void;
}

let isReloadWanted = false;
let reload = () => {
  isReloadWanted = true;
};
process.on('SIGHUP', () => reload());

export const signals: Signals = {
  ending: new Promise((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT']) process.on(name, resolve);
  }),
  onReload(callback) {
    reload = callback;
    if (isReloadWanted) callback();
  },
};
