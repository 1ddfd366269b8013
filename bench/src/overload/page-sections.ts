/** A section of docs/overload-measured.md, and what is measured for it. */
export interface PageSection {
  heading: string;
  /** The name of the file with its results. */
  name: string;
  /** The arguments of `npm run bench -- overload`. */
  words: readonly string[];
  /** The major version of Node, if it is not that of the other sections. */
  node?: number;
}

const right = 'express-queue, right limit';
const inFront = 'headgate in front';
const few = ['bare', 'headgate', inFront, right];
const peers = [...few, 'overload-protection', 'toobusy-js', 'under-pressure'];
const withShortWait = [...peers, 'headgate, short wait'];

/** The run of the first one also gives the settings, and the cost of one rejection, of the whole page. */
export const pageSections: readonly PageSection[] = [
  { heading: 'Handlers that compute', name: 'cpu', words: ['cpu', ...withShortWait] },
  {
    heading: 'The same with a connection for each request',
    name: 'own-cpu',
    words: ['cpu', '--own-connections', ...withShortWait],
  },
  {
    heading: 'The same next to other processes',
    name: 'n-cpu',
    words: ['cpu', '--neighbour', ...few],
  },
  { heading: 'Handlers whose computing varies', name: 'varying', words: ['varying', ...peers] },
  { heading: 'Handlers that compute after a timer', name: 'timer', words: ['timer', ...peers] },
  { heading: 'Handlers that compute after a query', name: 'query', words: ['query', ...peers] },
  {
    heading: 'The same query with a connection for each request',
    name: 'own-query',
    words: ['query', '--own-connections', ...peers],
  },
  {
    heading: 'A query before and after computing',
    name: 'queries',
    words: ['queries', 'bare', 'headgate', inFront],
  },
  {
    heading: "Handlers that wait for libuv's threads",
    name: 'threads',
    words: ['threads', ...peers],
  },
  { heading: 'Handlers that wait for a database', name: 'database', words: ['database', ...peers] },
  {
    heading: 'The same pool next to other processes',
    name: 'n-database',
    words: ['database', '--neighbour', ...few],
  },
  { heading: 'Node 22, computing', name: 'n22-cpu', words: ['cpu', ...few], node: 22 },
  { heading: 'Node 22, database', name: 'n22-database', words: ['database', ...few], node: 22 },
  { heading: 'Node 24, computing', name: 'n24-cpu', words: ['cpu', ...few], node: 24 },
  { heading: 'Node 24, database', name: 'n24-database', words: ['database', ...few], node: 24 },
  { heading: 'The first five seconds of a spike', name: 'spike', words: ['--spike'] },
  {
    heading: 'The first five seconds next to other processes',
    name: 'n-spike',
    words: ['--spike', '--neighbour', 'pool'],
  },
  ...(['koa', 'hono', 'fastify', 'node'] as const).map((host) => ({
    heading: `Other frameworks: ${host}, computing`,
    name: `${host}-cpu`,
    words: ['cpu', '--host', host, 'bare', 'headgate', inFront],
  })),
];
