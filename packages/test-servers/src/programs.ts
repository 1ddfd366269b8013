import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A program that the bootstrap script has found or fetched, and has started once. */
export interface Program {
  readonly path: string;
  /** What it needs besides this process's environment. */
  readonly env: NodeJS.ProcessEnv;
  /** Where it was unpacked, if it is not the system's. */
  readonly root?: string;
  /** PostgreSQL's: a data folder to start with a copy of. */
  readonly template?: string;
}

/** Each program, and the bootstrap script's option for it. */
const options = {
  'redis-server': '--redis',
  postgres: '--postgres',
  pgbouncer: '--postgres',
  chromium: '--tools',
  curl: '--tools',
} as const;

export type ProgramName = keyof typeof options;

/** The same folder whether this file runs from `src` or from `dist`. */
const repository = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));

/**
 * The programs of this machine, or those of the list that `HEADGATE_PROGRAMS` names: another version of one, say.
 *
 * @throws Error that names the command which provides the program.
 */
export function findProgram(name: ProgramName): Program {
  const usual = join(repository, 'node_modules/.cache/headgate/programs.json');
  const list = process.env.HEADGATE_PROGRAMS ?? usual;
  const programs = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : {};
  const program: Program | undefined = programs[name];
  if (program === undefined)
    throw new Error(`No ${name} has been set up here. Run: npm run bootstrap -- ${options[name]}`);
  return program;
}
