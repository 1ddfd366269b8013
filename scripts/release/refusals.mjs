// What keeps a release from publishing: CONTRIBUTING.md lists the codes.

/** What a dry run refuses, too: it would try something else than the next release. */
const inDryRun = ['RELEASE_CHANGES', 'RELEASE_CHANGELOG'];

/** Whether this version of npm can publish from a workflow that the registry trusts. */
function canTrustWorkflows(npm) {
  const [major, minor, patch] = npm.split('.').map(Number.parseFloat);
  return major > 11 || (major === 11 && (minor > 5 || (minor === 5 && patch >= 1)));
}

/**
 * Each reason not to publish, with a stable code.
 *
 * @param {object} facts
 * @param {string} facts.version The version of all packages.
 * @param {string | undefined} facts.changes The files that are not committed, as git prints them. Undefined without git.
 * @param {string} facts.changelog The text of CHANGELOG.md.
 * @param {readonly string[]} facts.unpublished The pages that say that the packages are not on npm.
 * @param {readonly string[]} facts.notes The notes in .changeset that have no version yet.
 * @param {readonly string[]} facts.tags The tags of the commit.
 * @param {boolean} facts.isPlaceholder Whether the addresses name no real owner yet.
 * @param {string} facts.repository The address of the repository that the packages name.
 * @param {string} facts.npm The version of npm.
 * @param {NodeJS.ProcessEnv} facts.env
 */
export function refusalsOf({
  version,
  changes,
  changelog,
  unpublished,
  notes,
  tags,
  isPlaceholder,
  repository,
  npm,
  env,
}) {
  const hasSection = changelog.split('\n').some((line) => `${line} `.startsWith(`## ${version} `));
  const { GITHUB_REPOSITORY: building } = env;
  const reasons = {
    RELEASE_TOKEN:
      !env.NPM_TOKEN &&
      !canTrustWorkflows(npm) &&
      `npm ${npm} cannot publish without a token. Use npm 11.5.1 or newer, or set NPM_TOKEN.`,
    RELEASE_PROVENANCE:
      !env.ACTIONS_ID_TOKEN_REQUEST_URL &&
      'npm can attest the origin of a package only in the release workflow, which has `id-token: write`.',
    RELEASE_REPOSITORY:
      building !== undefined &&
      !isPlaceholder &&
      !repository.endsWith(`/${building}`) &&
      `The workflow runs in ${building}, but the packages name ${repository}, so npm would refuse them.`,
    RELEASE_PLACEHOLDER:
      isPlaceholder &&
      'The owner of the repository is still called OWNER. Set `repository` in package.json, and run `npm run docs -- addresses`.',
    RELEASE_CHANGES:
      changes !== '' &&
      `These files are not committed:\n${changes ?? 'unknown, without git or outside a clone.'}`,
    RELEASE_CHANGELOG: !hasSection && `CHANGELOG.md has no section "## ${version}".`,
    RELEASE_UNPUBLISHED:
      unpublished.length > 0 &&
      `These pages say that the packages are not on npm: ${unpublished.join(', ')}. Run \`npm run docs -- published\`.`,
    RELEASE_NOTES:
      notes.length > 0 &&
      `CHANGELOG.md lacks the notes in .changeset. Run \`node scripts/release/version.mjs\`.`,
    RELEASE_TAG: !tags.includes(`v${version}`) && `The commit does not have the tag v${version}.`,
  };
  return Object.entries(reasons)
    .filter(([, message]) => message)
    .map(([code, message]) => ({ code, message, stopsDryRun: inDryRun.includes(code) }));
}
