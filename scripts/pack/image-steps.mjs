// Reads packages/server/Dockerfile, and carries out its steps in empty folders: there is no other way without an engine.
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../packages.mjs';
import { run } from '../shell.mjs';

/**
 * The stages, each with its instructions as pairs of keyword and arguments.
 *
 * @returns {{ image: string, name: string | undefined, instructions: string[][] }[]}
 */
export function stagesOfImage() {
  const text = readFileSync(join(root, 'packages/server/Dockerfile'), 'utf8');
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const stages = [];
  for (const line of lines) {
    const [, keyword, rest] = /^([A-Z]+) (.+)$/.exec(line);
    if (keyword === 'FROM') {
      const [image, , name] = rest.split(' ');
      stages.push({ image, name, instructions: [] });
    } else {
      stages.at(-1).instructions.push([keyword, rest]);
    }
  }
  return stages;
}

/** The arguments of the one instruction of a stage with this keyword. */
export function argumentsOf({ instructions }, keyword) {
  const found = instructions.filter(([name]) => name === keyword);
  if (found.length !== 1) throw new Error(`${found.length} × ${keyword} in the Dockerfile`);
  return found[0][1];
}

/** The words in the JSON array of an ENTRYPOINT or of a HEALTHCHECK. */
export const wordsOf = (text) => JSON.parse(text.slice(text.indexOf('[')));

/** Builds all stages, each in a folder within `folder` that stands for /app. Returns the last folder. */
export async function buildStages(folder, env) {
  const folders = new Map();
  let last;
  for (const { name = 'last', instructions } of stagesOfImage()) {
    last = join(folder, name);
    folders.set(name, last);
    mkdirSync(last, { recursive: true });
    for (const instruction of instructions) await execute(instruction, { cwd: last, env, folders });
  }
  return last;
}

async function execute([keyword, rest], { cwd, env, folders }) {
  const [, stage] = /^--from=(\w+) \/app \.\/$/.exec(rest) ?? [];
  if (keyword === 'RUN') await run([rest], { cwd, env });
  else if (keyword === 'COPY' && stage !== undefined)
    cpSync(folders.get(stage), cwd, { recursive: true, verbatimSymlinks: true });
  // The patterns of a COPY and those of a shell mean the same.
  else if (keyword === 'COPY') await run(['cp', rest.replace(/\.\/$/, cwd)], { cwd: root });
}
