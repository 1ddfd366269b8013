// The environment of commands on a machine that has Node 20.19 and npm, and nothing of this repository.
import { delimiter, dirname } from 'node:path';
import { install, oldestNode } from '../runtimes/runtimes.mjs';

const isOfThisRun = (name) =>
  /^npm_(?!config_)|^(npm_config_local_prefix|NODE_OPTIONS|NODE_PATH|NODE_ENV|INIT_CWD)$/.test(
    name,
  );

export async function bareEnvironment() {
  const node = dirname(await install(oldestNode));
  // npm adds the programs of the repository.
  const others = process.env.PATH.split(delimiter).filter((path) => !path.includes('node_modules'));
  const env = Object.entries(process.env).filter(([name]) => !isOfThisRun(name));
  return { ...Object.fromEntries(env), PATH: [node, ...others].join(delimiter) };
}
