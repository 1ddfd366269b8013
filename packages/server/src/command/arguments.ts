import { Command, InvalidArgumentError, Option } from 'commander';
import { MAX_PORT } from '../http/listen-options.ts';
import { version } from '../version.ts';

export interface Arguments {
  readonly address: string;
  readonly port: number;
  readonly configuration: string;
  readonly socket?: string | undefined;
}

const addressing = 'address to listen on; :: or 0.0.0.0 listens on all of them';

/**
 * Parses the command line.
 *
 * @throws CommanderError for invalid arguments, and after printing `--help` or `--version`.
 */
export function parseArguments(argv: readonly string[]): Arguments {
  const program = new Command('headgate-server')
    .description('Semaphores over HTTP, in the protocol of pacman82/throttle.')
    .version(version)
    .addOption(new Option('--address <address>', addressing).default('127.0.0.1'))
    .addOption(
      new Option('--port <port>', 'port to listen on; 0 picks a free one')
        .argParser(portFrom)
        .default(8_000),
    )
    .option('-c, --configuration <file>', 'TOML file', 'throttle.toml')
    .addOption(
      new Option('--socket <path>', 'unix socket to listen on instead').conflicts([
        'address',
        'port',
      ]),
    )
    .allowExcessArguments(false)
    .exitOverride();
  return program.parse(argv).opts<Arguments>();
}

function portFrom(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= MAX_PORT) return port;
  throw new InvalidArgumentError(`It must be a whole number from 0 to ${MAX_PORT}.`);
}
