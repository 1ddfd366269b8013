// Publishes tarballs, each after those that it depends on.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { manifestIn } from '../pack/tarballs.mjs';

/** The tarballs with their manifests, each after those that it depends on. */
export function inOrder(tarballs) {
  const waiting = new Map(
    tarballs.map((tarball) => {
      const manifest = manifestIn(tarball);
      return [manifest.name, { tarball, manifest }];
    }),
  );
  const ordered = [];
  const visit = (name) => {
    const found = waiting.get(name);
    if (found === undefined) return;
    // Before its dependencies, so that a cycle ends.
    waiting.delete(name);
    const { dependencies, peerDependencies } = found.manifest;
    for (const other of Object.keys({ ...dependencies, ...peerDependencies })) visit(other);
    ordered.push(found);
  };
  for (const name of [...waiting.keys()].sort()) visit(name);
  return ordered;
}

/**
 * Publishes the tarballs that the registry does not have yet, so that a release that has failed midway can be repeated.
 *
 * @param {readonly string[]} tarballs
 * @param {object} target
 * @param {string} target.registry Its URL.
 * @param {string} [target.token] Used for this registry only, and not written to any file. Without one, the registry must
 * trust the workflow.
 * @param {boolean} target.provenance Whether npm attests which workflow has made them.
 * @throws Error if npm fails. No further tarball is published then.
 */
export async function publish(tarballs, { registry, token, provenance }) {
  const host = registry.replace(/^https?:/, '').replace(/\/?$/, '/');
  const authentication = token === undefined ? {} : { [`npm_config_${host}:_authToken`]: token };
  const env = { ...process.env, npm_config_registry: registry, ...authentication };
  for (const { tarball, manifest } of inOrder(tarballs)) {
    const id = `${manifest.name}@${manifest.version}`;
    if (await isPublished(id, env)) {
      console.log(`${id}: published already`);
      continue;
    }
    const attested = provenance ? ['--provenance'] : [];
    // A prerelease is installed only on request.
    const tag = manifest.version.includes('-') ? 'next' : 'latest';
    await npm(['publish', tarball, ...attested, '--access', 'public', '--tag', tag], env);
    console.log(`${id}: published`);
  }
}

const npm = (args, env) => promisify(execFile)('npm', args, { env, encoding: 'utf8' });

async function isPublished(id, env) {
  try {
    // Of a package without this version, npm prints nothing.
    return (await npm(['view', id, 'version', '--json'], env)).stdout.trim() !== '';
  } catch (error) {
    if (error.stdout?.includes('"E404"')) return false;
    throw error;
  }
}
