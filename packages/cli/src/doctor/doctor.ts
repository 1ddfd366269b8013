import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { attempt, CommandError } from '../output.ts';
import { fits, type Installed, installedIn, type Manifest, manifestOf } from './installed.ts';

/** A mistake in the setup, or a question that only the reader can answer; with a page and its heading. */
interface Finding {
  readonly text: string;
  readonly page: string;
  readonly isQuestion?: boolean;
}

const PAGES = 'https://github.com/OWNER/headgate/blob/main/docs/';
const STORES = ['redis', 'postgres', 'durable-object', 'server-client'];

/**
 * `headgate doctor`: finds mistakes in the setup of an app, from the files of its folder, without running it.
 *
 * @returns What to print, and the exit code: 1 if there is a mistake. Questions do not count.
 * @throws CommandError for a folder without Headgate.
 */
export function doctor(
  args: readonly string[],
  node = process.version,
): { text: string; code: number } {
  const { positionals } = parseArgs({ args: [...args], allowPositionals: true });
  const [path = '.', ...others] = positionals;
  if (others.length > 0) throw new CommandError('expected one folder');
  const folder = resolve(path);
  const app = manifestOf(folder);
  if (app === undefined)
    throw new CommandError(`${folder} has no package.json, or one that is no JSON`, 1);
  const installed = installedIn(folder, app);
  const ours = installed.filter(
    ({ name, manifest }) => /^(headgate$|@headgate\/)/.test(name) && manifest.private !== true,
  );
  if (ours.length === 0)
    throw new CommandError(
      `${folder} has no package of Headgate installed. Run it in the folder of an app, after npm install`,
      1,
    );
  const findings = [
    ...versionFindings(ours, node),
    ...peerFindings(ours, installed),
    ...sourceFindings(folder, app, ours),
  ];
  const lines = findings.map(
    ({ text, page, isQuestion }) => `${isQuestion ? '?' : '✗'} ${text}\n  ${PAGES}${page}\n`,
  );
  const names = ours.map(({ name, version }) => `${name} ${version}`).sort();
  const text = lines.join('') || 'No mistakes, as far as files show.\n';
  return {
    text: `${[...new Set(names)].join(', ')}; Node ${node}\n\n${text}`,
    code: findings.some(({ isQuestion }) => !isQuestion) ? 1 : 0,
  };
}

function versionFindings(ours: readonly Installed[], node: string): Finding[] {
  const findings: Finding[] = [];
  const tooNew = ours.find(({ manifest }) => !fits(node, manifest.engines?.node ?? '>=0'));
  if (tooNew !== undefined) {
    const text = `Node ${node} is too old: ${tooNew.name} needs ${tooNew.manifest.engines?.node}.`;
    findings.push({ text, page: 'support.md#versions' });
  }
  const cores = ours.filter(({ name }) => name === '@headgate/core');
  if (cores.length > 1) {
    const list = cores.map(({ folder, version }) => `\n    ${version} in ${folder}`).join('');
    const text = `@headgate/core is installed ${cores.length} times, so no copy recognises the limiters of another:${list}`;
    findings.push({ text, page: 'errors.md#headgate_two_copies' });
  }
  // The copies of the core say it already.
  else if (new Set(ours.map(({ version }) => version)).size > 1) {
    const text =
      'The packages have different versions. They are released and tested together: install the same version of all.';
    findings.push({ text, page: 'support.md#versions' });
  }
  return findings;
}

/** Frameworks and clients whose version a package does not support. */
function peerFindings(ours: readonly Installed[], installed: readonly Installed[]): Finding[] {
  return ours.flatMap(({ name, manifest }) =>
    Object.entries(manifest.peerDependencies ?? {}).flatMap(([peer, range]) => {
      const versions = installed.filter((each) => each.name === peer).map(({ version }) => version);
      if (versions.length === 0 || versions.some((version) => fits(version, range))) return [];
      const text = `${name} supports ${peer} ${range}, and ${versions.join(', ')} is installed.`;
      return { text, page: 'support.md#versions' };
    }),
  );
}

/** What sources and scripts show. Whether it matters depends on where the app runs, so these are questions. */
function sourceFindings(folder: string, app: Manifest, ours: readonly Installed[]): Finding[] {
  const all = [...sourcesOf(folder), ...Object.values(app.scripts ?? {})];
  const contains = (pattern: RegExp) => all.some((text) => pattern.test(text));
  const findings: Finding[] = [];
  const hasAddressKey = contains(/\bipKey\(|\bkey: \(?\w+\)? => \w+(\.req(uest)?)?\.ip\b/);
  if (hasAddressKey && !contains(/trust ?proxy|\.proxy = |\bproxy: true/i)) {
    const text =
      'A limit has the address of the client as its key, and no file trusts a proxy. Is there a proxy or a balancer in front? Then all clients share one key.';
    findings.push({ text, page: 'limit-per-tenant.md#behind-a-proxy', isQuestion: true });
  }
  const isCluster = contains(
    /['"](node:)?cluster['"]|\bpm2\b.* (-i|--instances) |exec_mode: ['"]cluster/,
  );
  const hasStore = ours.some(({ name }) => STORES.some((store) => name === `@headgate/${store}`));
  if (isCluster && !hasStore) {
    const text =
      'The app runs in several processes, and no store is installed: each process has a limit of its own. Is the limit the size of one process?';
    findings.push({ text, page: 'recipes-processes.md', isQuestion: true });
  }
  return findings;
}

const MAX_FILES = 2_000;
const MAX_BYTES = 500_000;

const textOf = (path: string) =>
  attempt(() => (statSync(path).size < MAX_BYTES ? readFileSync(path, 'utf8') : '')) ?? '';

/** The texts of the app's own programs, without tests and build output. */
function sourcesOf(folder: string): string[] {
  const texts: string[] = [];
  const visit = (path: string) => {
    for (const entry of attempt(() => readdirSync(path, { withFileTypes: true })) ?? []) {
      const { name } = entry;
      const own = join(path, name);
      if (texts.length >= MAX_FILES) return;
      if (entry.isDirectory() && !/^(\..*|node_modules|dist|build|coverage|tests?)$/.test(name))
        visit(own);
      else if (entry.isFile() && /\.[cm]?[jt]s$/.test(name)) texts.push(textOf(own));
    }
  };
  visit(folder);
  return texts;
}
