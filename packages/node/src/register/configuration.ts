import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { HeadgateError } from '@headgate/core';

/** Where the configuration is looked for in the working directory, in this order. */
const fileNames = ['js', 'mjs', 'cjs', 'json'].map((ending) => `headgate.config.${ending}`);

/**
 * The configuration of this process: `HEADGATE` as JSON or as the path of a file, or else the file in the working
 * directory. Undefined if `HEADGATE` is `off`; empty if there is none.
 *
 * @throws HeadgateError for JSON or a file that cannot be read.
 */
export function readConfiguration(
  value = process.env.HEADGATE,
  folder = process.cwd(),
): object | undefined {
  const text = value?.trim();
  if (text === 'off') return undefined;
  if (text?.startsWith('{')) return readFrom('HEADGATE', () => JSON.parse(text));
  const named = text ? resolve(folder, text) : undefined;
  const path = named ?? fileNames.map((name) => resolve(folder, name)).find(existsSync);
  if (path === undefined) return {};
  return readFrom(path, () => exportOf(createRequire(path)(path)));
}

function readFrom(source: string, read: () => unknown): object {
  let configuration: unknown;
  try {
    configuration = read();
  } catch (error) {
    throw unreadable(source, error instanceof Error ? error.message : String(error));
  }
  if (typeof configuration === 'object' && configuration !== null) return configuration;
  throw unreadable(source, `expected an object, got ${typeof configuration}`);
}

/** The default export of an ES module, or what a CommonJS module or a JSON file contains. */
function exportOf(loaded: unknown): unknown {
  if (typeof loaded !== 'object' || loaded === null) return loaded;
  return 'default' in loaded ? loaded.default : loaded;
}

function unreadable(source: string, reason: string): HeadgateError {
  const message = `the configuration cannot be read from ${source}: ${reason}`;
  return new HeadgateError('ERR_HEADGATE_CONFIGURATION', message);
}
