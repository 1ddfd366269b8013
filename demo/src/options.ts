import { parseArgs } from 'node:util';

export const usage = `Usage: npm run demo -- [options]

  --quick  a shorter run: half a minute instead of a minute
  --serve  then keeps the protected server running, to try it
  --help   shows this`;

interface Options {
  readonly quick: boolean;
  readonly serve: boolean;
  readonly help: boolean;
}

/** Reads the arguments of the command; `problem` says what is wrong with them. */
export function optionsFrom(args: readonly string[]): Options | { readonly problem: string } {
  const flag = { type: 'boolean', default: false } as const;
  try {
    const options = { quick: flag, serve: flag, help: flag };
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    return { problem: (error as Error).message };
  }
}
