import { CommandError, type Output } from '../output.ts';
import { bundledServer } from './bundled.ts';
import type { Pass } from './figures.ts';
import { optionsOf, type TryOptions } from './options.ts';
import { type Internals, Passes } from './passes.ts';
import { Progress, print } from './print.ts';
import { resultOf } from './result.ts';
import { ShowsNothing, verdictOf } from './verdict.ts';

const ROUNDS = 3;

/**
 * `headgate try`: measures a server in a spike, without and with the hook.
 *
 * @returns The exit code: 2 if the run shows nothing, otherwise 0. Of the bundled server: 0 if the hook helps or this
 * machine is too busy to tell, otherwise 1.
 * @throws CommandError for wrong usage, and for a server that cannot be measured.
 */
export async function tryServer(
  args: readonly string[],
  output: Output,
  internals: Internals = {},
): Promise<number> {
  const given = optionsOf(args);
  const options = given.isBundled ? { ...given, ...(await bundledServer()) } : given;
  if (process.platform === 'win32' && options.command.length > 0)
    throw new CommandError(
      'on Windows, it cannot end what a command starts. Start the server yourself, and use --running, which compares nothing.',
      1,
    );
  const { isBundled, json, urls } = options;
  const progress = new Progress(output.stderr);
  const passes = new Passes(options, (text) => progress.show(text), internals);
  const ignoreSignals = onSignal(() => passes.end());
  try {
    const done = await runAll(options, passes, progress);
    const result = resultOf(done, passes.plan, urls);
    progress.clear();
    print(result, options, output);
    return isBundled && result.verdict !== 'helps' ? 1 : 0;
  } catch (error) {
    progress.clear();
    if (!(error instanceof ShowsNothing)) throw error;
    const nothing = verdictOf('shows nothing', error.message);
    output.stdout.write(`${json ? JSON.stringify(nothing) : nothing.sentence}\n`);
    if (isBundled) return error.isCertain ? 1 : 0;
    return 2;
  } finally {
    ignoreSignals();
    await passes.end();
  }
}

async function runAll({ quick, command }: TryOptions, passes: Passes, progress: Progress) {
  const done: Pass[] = [];
  const kinds = command.length === 0 ? [false] : [false, true];
  const rounds = quick || kinds.length === 1 ? 1 : ROUNDS;
  for (let round = 1; round <= rounds; round++) {
    // Alternating, so that a machine that becomes slower slows both down.
    for (const isHooked of round % 2 === 1 ? kinds : kinds.toReversed()) {
      const count = `${done.length + 1}/${rounds * kinds.length}`;
      progress.step(`${count} ${isHooked ? 'with the hook' : 'as it is'}`);
      done.push(await passes.run(isHooked, round));
    }
  }
  return done;
}

/** Ends the app first; then exits. Returns a function that ignores signals again. */
function onSignal(end: () => Promise<void>): () => void {
  const codes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
  const names = Object.keys(codes) as (keyof typeof codes)[];
  const exit = (name: keyof typeof codes) => void end().then(() => process.exit(codes[name]));
  for (const name of names) process.on(name, exit);
  return () => {
    for (const name of names) process.off(name, exit);
  };
}
