/**
 * The signals to the command. Their handlers are registered before anything else is loaded, because loading takes some
 * tenths of a second, and the server may be stopped or reloaded at once.
 */
export interface Signals {
  /**
   * Resolves with the first SIGTERM or SIGINT. Further ones are ignored: a terminal and npx both forward the same one, and
   * blocked requests must still be answered.
   */
  readonly ending: Promise<string>;
  /** Calls back at each SIGHUP, and at once if there was one before. */
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
