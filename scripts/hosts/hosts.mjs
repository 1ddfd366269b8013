import { developmentCheck, next, vite } from './development-checks.mjs';
import { httpChecks, withHost } from './http-checks.mjs';
import { http2Check } from './http2-checks.mjs';
import { bunCheck, denoCheck } from './other-runtimes.mjs';
import { twoProcessesCheck } from './process-checks.mjs';
import { deploy } from './project.mjs';
import { socketIoCheck, wsCheck } from './socket-checks.mjs';
import { datadogCheck, openTelemetryCheck } from './tracing-checks.mjs';

/**
 * `tried`: how `headgate try` starts it, by default with `npm start`; undefined if it needs more than one command.
 *
 * @type {readonly { id: string, title: string, app: string, package: string, tried?: object, check: (context: object) => Promise<void> }[]}
 */
export const hosts = [
  {
    ...{ id: 'next', title: 'Next.js: `next start`', app: 'next', package: 'next' },
    tried: {},
    check: httpChecks({ assets: true, ownCalls: true }),
  },
  {
    ...{ id: 'next-standalone', title: "Next.js: `output: 'standalone'`" },
    ...{ app: 'next', package: 'next' },
    check: deployedCheck('.next-standalone/standalone', {
      ...{ assets: true, command: ['node', 'server.js'] },
      env: { HOSTNAME: '127.0.0.1' },
    }),
  },
  {
    ...{ id: 'nuxt', title: 'Nuxt and Nitro: the Node server', app: 'nuxt', package: 'nuxt' },
    check: deployedCheck('.output', {
      ...{ assets: true, ownCalls: true, command: ['node', 'server/index.mjs'] },
    }),
  },
  {
    ...{ id: 'sveltekit', title: 'SvelteKit: `adapter-node`' },
    ...{ app: 'sveltekit', package: '@sveltejs/kit' },
    tried: {},
    check: httpChecks({ assets: true, ownCalls: true }),
  },
  {
    ...{ id: 'astro', title: 'Astro: `@astrojs/node`', app: 'astro', package: 'astro' },
    tried: {},
    check: httpChecks(),
  },
  {
    ...{ id: 'react-router', title: 'React Router: `react-router-serve`' },
    ...{ app: 'react-router', package: 'react-router' },
    tried: {},
    check: httpChecks({ assets: true }),
  },
  {
    ...{ id: 'nest', title: 'NestJS', app: 'nest', package: '@nestjs/core' },
    tried: {},
    check: httpChecks(),
  },
  {
    ...{ id: 'strapi', title: 'Strapi', app: 'strapi', package: '@strapi/strapi' },
    tried: { base: '/api' },
    check: httpChecks({ base: '/api', ownCalls: true }),
  },
  server('fastify', 'Fastify'),
  server('hapi', 'hapi', '@hapi/hapi'),
  {
    ...server('http-proxy', 'http-proxy'),
    tried: undefined,
    check: ({ project, backend }) =>
      withHost(project, backend, { ...file('plain'), hooked: false }, (target) => {
        const env = { TARGET_URL: target.url() };
        return httpChecks({ ...file('http-proxy'), env })({ project, backend });
      }),
  },
  { ...server('ws', 'ws, next to `node:http`'), check: wsCheck },
  {
    ...server('socket.io', 'Socket.IO, next to `node:http`'),
    tried: file('socket-io'),
    check: socketIoCheck,
  },
  {
    ...server('http2', '`http2.createSecureServer` with `allowHTTP1`', 'node-24'),
    tried: { ...file('http2'), protocol: 'https' },
    check: http2Check,
  },
  { ...server('cluster', '`node:cluster`', 'node-24'), check: twoProcessesCheck(file('cluster')) },
  server('worker-thread', 'A server in a worker thread', 'node-24'),
  {
    ...{ id: 'pm2', title: 'PM2: `pm2-runtime`, two processes', app: 'pm2', package: 'pm2' },
    check: twoProcessesCheck({
      command: ['node_modules/.bin/pm2-runtime', 'start', 'server.cjs', '-i', '2'],
    }),
  },
  {
    ...{ id: 'opentelemetry', title: 'OpenTelemetry, before or after the hook', app: 'tracing' },
    ...{ package: '@opentelemetry/auto-instrumentations-node', check: openTelemetryCheck },
  },
  {
    ...{ id: 'datadog', title: 'Datadog’s dd-trace, before or after the hook', app: 'tracing' },
    ...{ package: 'dd-trace', check: datadogCheck },
  },
  {
    ...{ id: 'next-dev', title: 'Next.js: `next dev`', app: 'next', package: 'next' },
    check: developmentCheck(next),
  },
  {
    ...{ id: 'vite-dev', title: 'Vite: `vite dev` with SvelteKit', app: 'sveltekit' },
    ...{ package: 'vite' },
    check: developmentCheck(vite),
  },
  { ...server('bun', 'Bun: `node:http`, and Fastify', 'bun'), tried: undefined, check: bunCheck },
  {
    ...server('deno', 'Deno: `node:http`, and Fastify', 'deno'),
    tried: undefined,
    check: denoCheck,
  },
];

/** A build that is copied without the modules of its project. */
function deployedCheck(part, options) {
  return async ({ project, backend }) =>
    httpChecks(options)({ project: await deploy(project, part), backend });
}

/** A file of the app `servers`. */
function server(id, title, packageName = id) {
  return {
    id,
    title,
    app: 'servers',
    package: packageName,
    tried: file(id),
    check: httpChecks(file(id)),
  };
}

function file(name) {
  return { command: ['node', `${name}.js`] };
}
