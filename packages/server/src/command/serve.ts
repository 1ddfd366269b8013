import type { Logger } from 'pino';
import type { Configuration } from '../configuration/configuration.ts';
import type { ListenOptions } from '../http/listen-options.ts';
import { createServer, type Server } from '../server.ts';
import type { Arguments } from './arguments.ts';
import { loadConfiguration, loadTls, logLevelOf } from './load.ts';
import { createLogger, pinoLevel } from './logger.ts';
import type { Signals } from './signals.ts';

/** Serves until a signal ends it. The signal may come before the server is ready. */
export async function serve(args: Arguments, { ending, onReload }: Signals): Promise<void> {
  const configuration = await loadConfiguration(args.configuration, true);
  const log = createLogger(logLevelOf(configuration));
  log.info('Starting');
  for (const warning of configuration.warnings) log.warn(warning);
  const { semaphores, token, maxPeers, maxBlocked } = configuration;
  const server = createServer({ semaphores, token, maxPeers, maxBlocked, log });
  // Reloads run one after the other, so that the latest content of the file is applied last.
  let reloaded = Promise.resolve();
  onReload(() => {
    reloaded = reloaded.then(() => reload(args.configuration, server, log));
  });
  const { url } = await server.listen(await listenOptions(args, configuration));
  log.info({ url }, 'Ready');
  log.info(`${await ending} received`);
  await server.close();
  log.info('Stopped');
}

async function listenOptions(
  args: Arguments,
  configuration: Configuration,
): Promise<ListenOptions> {
  const { socket, address, port } = args;
  return {
    ...(socket === undefined ? { address: address.replace(/^\[(.*)\]$/, '$1'), port } : { socket }),
    maxConnections: configuration.maxConnections,
    tls: await loadTls(configuration),
  };
}

/** Applies the semaphores and the log level of the file. If the file is invalid, logs that and changes nothing. */
async function reload(path: string, server: Server, log: Logger): Promise<void> {
  try {
    const configuration = await loadConfiguration(path, false);
    const level = logLevelOf(configuration);
    server.configure(configuration.semaphores);
    log.level = pinoLevel(level);
    for (const warning of configuration.warnings) log.warn(warning);
    log.info(`Read ${path} again.`);
  } catch (error) {
    log.error(`The configuration stays as it was: ${(error as Error).message}`);
  }
}
