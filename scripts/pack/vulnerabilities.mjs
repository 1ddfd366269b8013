import { execFile } from 'node:child_process';

/**
 * The packages of a project without peers that have known vulnerabilities, a line for each.
 *
 * @param {string} cwd The folder of its package-lock.json.
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<string[] | undefined>} undefined if the registry answers no audits.
 */
export async function vulnerabilitiesOf(cwd, env = process.env) {
  const options = { cwd, env, encoding: 'utf8' };
  // npm fails if it finds some, and if the registry does not answer.
  const output = await new Promise((resolve) => {
    execFile('npm', ['audit', '--omit=peer', '--json'], options, (_error, stdout) =>
      resolve(stdout),
    );
  });
  const { vulnerabilities } = JSON.parse(output);
  if (vulnerabilities === undefined) return undefined;
  return Object.values(vulnerabilities).map(
    ({ name, severity }) => `${name} has a vulnerability: ${severity} (npm audit)`,
  );
}
