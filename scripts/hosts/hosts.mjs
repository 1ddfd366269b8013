import { httpChecks } from './http-checks.mjs';
import { deploy } from './project.mjs';

/**
 * @type {readonly { id: string, title: string, app: string, package: string, check: (context: object) => Promise<void> }[]}
 */
export const hosts = [
  {
    ...{ id: 'next', title: 'Next.js: `next start`', app: 'next', package: 'next' },
    check: httpChecks({ assets: true }),
  },
  {
    ...{ id: 'next-standalone', title: "Next.js: `output: 'standalone'`" },
    ...{ app: 'next', package: 'next' },
    check: async ({ project, backend }) => {
      const deployed = await deploy(project, '.next-standalone/standalone');
      const command = ['node', 'server.js'];
      const env = { HOSTNAME: '127.0.0.1' };
      await httpChecks({ assets: true, command, env })({ project: deployed, backend });
    },
  },
  {
    ...{ id: 'nuxt', title: 'Nuxt and Nitro: the Node server', app: 'nuxt', package: 'nuxt' },
    check: httpChecks({ assets: true }),
  },
  {
    ...{ id: 'sveltekit', title: 'SvelteKit: `adapter-node`' },
    ...{ app: 'sveltekit', package: '@sveltejs/kit' },
    check: httpChecks({ assets: true }),
  },
  {
    ...{ id: 'astro', title: 'Astro: `@astrojs/node`', app: 'astro', package: 'astro' },
    check: httpChecks(),
  },
  {
    ...{ id: 'react-router', title: 'React Router: `react-router-serve`' },
    ...{ app: 'react-router', package: 'react-router' },
    check: httpChecks({ assets: true }),
  },
];
