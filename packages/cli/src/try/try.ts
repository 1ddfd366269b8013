import { randomUUID } from 'node:crypto';
import { CommandError, type Output } from '../output.ts';
import { bundledServer } from './bundled.ts';
import type { Pass } from './figures.ts';
import { Generator } from './generator.ts';
import { callsOf, optionsOf, type TryOptions } from './options.ts';
import { Passes, type Times, usualTimes } from './pass.ts';
import { Progress, print } from './print.ts';
import { resultOf } from './result.ts';
import { nothing, ShowsNothing } from './verdict.ts';

/** What tests replace. */
export interface Internals {
  readonly times?: Times;
  /** The options of Node that load the hook. */
  readonly hook?: string;
  /** The options of Node for the load generator. */
  readonly execArgv?: readonly string[];
}

const ROUNDS = 3;

/**
 * `headgate try`: measures a server in a spike, without and with the hook.
 *
 * @returns The exit code: 2 if the run shows nothing, otherwise 0. Of the bundled server: 0 if the hook helps or the run
 * shows nothing, otherwise 1.
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
      'try: on Windows, it cannot end what a command starts. Start the server yourself, and use --running, which compares nothing.',
      1,
    );
  const progress = new Progress(output.stderr);
  const passes = await prepare(options, progress, internals);
  const ignoreSignals = onSignal(() => passes.end());
  try {
    return await measure(options, passes, progress, output);
  } finally {
    ignoreSignals();
    await passes.end();
    progress.clear();
  }
}

async function prepare(
  options: TryOptions,
  progress: Progress,
  {
    times = usualTimes,
    hook = `--import ${import.meta.resolve('@headgate/node/register')}`,
    execArgv = process.execArgv,
  }: Internals,
): Promise<Passes> {
  const { weights, command, configuration } = options;
  const mark = randomUUID();
  const generator = new Generator(mark, execArgv);
  const calls = callsOf(options);
  await generator.do('target', { calls, weights });
  const hookEnv = {
    NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} ${hook}`.trim(),
    ...(configuration === undefined ? {} : { HEADGATE: configuration }),
  };
  const app = { url: options.urls[0] as URL, command, mark };
  return new Passes({ generator, times, calls, app, hookEnv, show: (text) => progress.show(text) });
}

async function measure(
  options: TryOptions,
  passes: Passes,
  progress: Progress,
  output: Output,
): Promise<number> {
  const { isBundled, isJson, urls } = options;
  try {
    const { done, plan } = await runAll(options, passes, progress);
    const result = resultOf(done, plan, urls);
    progress.clear();
    print(result, options, output);
    return isBundled && result.verdict !== 'helps' ? 1 : 0;
  } catch (error) {
    if (!(error instanceof ShowsNothing)) throw error;
    progress.clear();
    const judgement = nothing(error.message);
    output.stdout.write(`${isJson ? JSON.stringify(judgement) : judgement.sentence}\n`);
    return isBundled ? 0 : 2;
  }
}

async function runAll({ isQuick, command }: TryOptions, passes: Passes, progress: Progress) {
  const done: Pass[] = [];
  const kinds = command.length === 0 ? [false] : [false, true];
  const rounds = isQuick || kinds.length === 1 ? 1 : ROUNDS;
  for (let round = 1; round <= rounds; round++) {
    // Alternating, so that a machine that becomes slower slows both down.
    for (const isHooked of round % 2 === 1 ? kinds : kinds.toReversed()) {
      const count = `${done.length + 1}/${rounds * kinds.length}`;
      progress.step(`${count} ${isHooked ? 'with the hook' : 'as it is'}`);
      done.push(await passes.run(isHooked, round));
    }
  }
  return { done, plan: passes.plan };
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
