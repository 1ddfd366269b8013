import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A program that the bootstrap script has found or downloaded, and has started once as a check. */
export interface Program {
  readonly path: string;
  /** Environment variables that it needs in addition to this process's. */
  readonly env: NodeJS.ProcessEnv;
  /** The folder into which the program was unpacked; undefined if it belongs to the system. */
  readonly root?: string;
  /** For PostgreSQL: an initialized data folder to copy. */
  readonly template?: string;
}

/** The bootstrap script's option for each program. */
const options = {
  'redis-server': '--redis',
  postgres: '--postgres',
  pgbouncer: '--postgres',
  chromium: '--tools',
  curl: '--tools',
  prometheus: '--tools',
  nginx: '--proxies',
  haproxy: '--proxies',
} as const;

export type ProgramName = keyof typeof options;

/** This path leads to the same folder from `src` and from `dist`. */
const repository = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));

/**
 * Finds a program of this machine, or of the list that `HEADGATE_PROGRAMS` names, for example another version.
 *
 * @throws Error that contains the command which provides the program.
 */
export function findProgram(name: ProgramName): Program {
  const usual = join(repository, 'node_modules/.cache/headgate/programs.json');
  const list = process.env.HEADGATE_PROGRAMS ?? usual;
  const programs = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : {};
  const program: Program | undefined = programs[name];
  if (program === undefined)
    throw new Error(
      `${name} is not set up on this machine. Run: npm run bootstrap -- ${options[name]}`,
    );
  return program;
}

/** Options with which Playwright launches the Chromium that was set up. */
export function chromiumOptions(): { executablePath: string; env: Record<string, string> } {
  const { path, env } = findProgram('chromium');
  return { executablePath: path, env: { ...process.env, ...env } as Record<string, string> };
}
