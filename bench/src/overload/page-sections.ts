/** A section of docs/lab/overload-measured.md, and what is measured for it. */
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

/** The run of the first one also gives the settings, and the cost of one rejection, of the whole page. */
export const pageSections: readonly PageSection[] = [
  {
    heading: 'Handlers that compute',
    name: 'cpu',
    words: ['cpu', ...peers, 'headgate, short wait'],
  },
  {
    heading: 'The same with a connection for each request',
    name: 'own-cpu',
    words: ['cpu', '--own-connections', ...few],
  },
  {
    heading: 'The same next to other processes',
    name: 'n-cpu',
    words: ['cpu', '--neighbour', ...few],
  },
  { heading: 'Handlers that compute after a query', name: 'query', words: ['query', ...few] },
  {
    heading: 'A query before and after computing',
    name: 'queries',
    words: ['queries', 'bare', 'headgate', inFront],
  },
  {
    heading: "Handlers that wait for libuv's threads",
    name: 'threads',
    words: ['threads', ...few],
  },
  { heading: 'Handlers that wait for a database', name: 'database', words: ['database', ...peers] },
  {
    heading: 'The same pool next to other processes',
    name: 'n-database',
    words: ['database', '--neighbour', ...few],
  },
  { heading: 'Node 24, computing', name: 'n24-cpu', words: ['cpu', ...few], node: 24 },
  { heading: 'Node 24, database', name: 'n24-database', words: ['database', ...few], node: 24 },
  { heading: 'The first five seconds of a spike', name: 'spike', words: ['--spike'] },
  {
    heading: 'The first five seconds next to other processes',
    name: 'n-spike',
    words: ['--spike', '--neighbour', 'pool'],
  },
];
