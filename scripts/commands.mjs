/**
 * The subcommands of the scripts in package.json that `scripts/run.mjs` runs. Each entry says what the subcommand does,
 * which programs the tests or servers that it starts need (the options of `bootstrap.mjs`), what `tsc` builds first, and
 * the program, with its arguments. Arguments from the command line follow those of the program.
 */
const plain = (description, ...run) => ({ description, run });

const fromSource = (description, file, ...programs) => ({
  description,
  programs,
  run: ['node_modules/tsx/dist/cli.mjs', '--conditions=headgate-source', file],
});

const built = (description, ...run) => ({ description, build: ['tsconfig.build.json'], run });

// The benchmarks run compiled code, as users do.
const bench = (description, file, ...programs) => ({
  description,
  programs,
  build: ['tsconfig.build.json', 'bench'],
  run: [`bench/dist/${file}`],
});

export const commands = {
  bench: {
    local: bench('limits within one process, in parts a to f and j', 'main.js', '--redis'),
    overload: bench('servers at up to twenty times their capacity', 'overload/main.js'),
    'overload page': bench('measures and writes docs/lab/overload-measured.md', 'overload/page.js'),
    readme: bench("the README's table", 'readme.js', '--redis'),
    hosts: {
      ...fromSource(
        'Next.js, Nuxt, SvelteKit and Strapi in a spike, with and without the hook',
        'bench/spikes/main.mjs',
      ),
      build: ['tsconfig.build.json'],
    },
    redis: bench('limits in Redis', 'redis/main.js', '--redis'),
    postgres: bench('limits in PostgreSQL', 'postgres/main.js', '--postgres'),
    server: bench('the HTTP service', 'server/main.js', '--redis'),
    leavers: bench('handlers whose clients leave', 'leavers/main.js'),
    ordinary: bench('the default limit while the CPU is idle', 'ordinary/main.js'),
    impatient: bench('an overload whose clients leave', 'leavers/impatient/main.js'),
    storm: fromSource(
      'HTTP clients whose server hangs, on real sockets',
      'internal/simulator/src/storm/on-sockets.ts',
    ),
    proxies: fromSource(
      'limits of nginx and HAProxy, and a server that rejects behind them',
      'bench/src/proxies/main.ts',
      '--proxies',
    ),
    scrape: bench('collecting the metrics of 1,000 limits', 'scrape.js'),
  },
  simulate: {
    scenarios: fromSource(
      'the overloads of docs/overload.md and docs/lab/simulations.md',
      'internal/simulator/src/main.ts',
    ),
    random: fromSource(
      'the default limit under workloads drawn at random',
      'internal/simulator/src/event-loop/random.ts',
    ),
    grid: fromSource(
      'the default limit under all workloads',
      'internal/simulator/src/event-loop/grid.ts',
    ),
    ablate: fromSource(
      'the default limit and adaptive() without each of their mechanisms',
      'internal/simulator/src/ablation/main.ts',
    ),
    utilization: fromSource(
      'load shedding by the utilization of the event loop',
      'internal/simulator/src/utilization/main.ts',
    ),
    queue: fromSource(
      'which requests a limit serves, compared with a plain queue',
      'internal/simulator/src/queue/main.ts',
    ),
    storm: fromSource(
      'HTTP clients before, during and after an outage of their server',
      'internal/simulator/src/storm/main.ts',
    ),
  },
  chaos: {
    redis: fromSource('limits in Redis', 'packages/redis/test/chaos/main.ts', '--redis'),
    postgres: fromSource(
      'limits in PostgreSQL',
      'packages/postgres/test/chaos/main.ts',
      '--postgres',
    ),
    server: fromSource('limits in the HTTP service', 'packages/server-client/test/chaos/main.ts'),
    rolling: fromSource(
      'rolling restarts behind nginx and HAProxy',
      'examples/rolling-restarts.ts',
      '--proxies',
    ),
  },
  fuzz: {
    http: plain('sends mutated requests to the HTTP service', 'scripts/fuzz.mjs'),
    properties: plain('runs the property tests with fresh seeds', 'scripts/soak.mjs'),
  },
  compat: {
    postgres: {
      ...plain('the PostgreSQL store with other versions', 'scripts/postgres-versions.mjs'),
      programs: ['--postgres'],
    },
    runtimes: {
      ...built('the packed packages on other runtimes', 'scripts/runtimes/main.mjs'),
      programs: ['--redis', '--postgres'],
    },
    hosts: built('unmodified frameworks with the hook', 'scripts/hosts/main.mjs'),
  },
  pack: {
    tarballs: built('packs each package into out/tarballs', 'scripts/pack/pack.mjs'),
    lint: built('packs each package and checks it', 'scripts/pack/lint.mjs'),
    use: built('installs the packed packages and uses them', 'scripts/pack/use.mjs'),
    audit: built('checks what comes with the packed packages', 'scripts/pack/audit.mjs'),
    size: built('the sizes of the bundles', 'node_modules/size-limit/bin.js'),
    import: built('the time of an import', 'scripts/pack/import-time.mjs'),
  },
  docs: {
    site: fromSource('builds the site into out/site', 'docs/site/main.ts'),
    'site-check': {
      description: 'checks the built site, in Chromium and as files',
      programs: ['--tools'],
      run: ['node_modules/vitest/vitest.mjs', 'run', '--config', 'docs/site/vitest.config.ts'],
    },
    figures: fromSource('writes the figures of the README and the docs', 'docs/figures/main.ts'),
    addresses: plain(
      'writes the addresses of the project into its packages',
      'scripts/addresses.mjs',
    ),
    published: plain(
      'removes from the pages that the packages are not on npm',
      'scripts/release/published.mjs',
    ),
    licenses: plain('writes the licenses of what the packages depend on', 'scripts/licenses.mjs'),
    dashboard: fromSource(
      'writes the images of docs/dashboard.md',
      'packages/dashboard/test/screenshots.ts',
      '--tools',
    ),
    server: fromSource(
      'writes the image of docs/server.md',
      'packages/server/test/screenshots.ts',
      '--tools',
    ),
  },
};

/**
 * The subcommand that the first words name, and the number of these words; undefined if there is none. The longest name
 * applies: `overload page` before `overload`.
 */
export function find(command, words) {
  for (const count of [2, 1]) {
    const name = words.slice(0, count).join(' ');
    if (words.length >= count && Object.hasOwn(commands[command], name))
      return { ...commands[command][name], count };
  }
  return undefined;
}
