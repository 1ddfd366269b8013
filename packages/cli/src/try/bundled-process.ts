// The server that is measured if no other is given: a page whose content is in a database, without any limit.
import { createServer } from 'node:http';
import { setTimeout } from 'node:timers/promises';

/** The number of queries that run at once. */
const CONNECTIONS = 5;
/** Milliseconds: a query takes anything from half of this to one and a half times, all equally likely. */
const QUERY_TIME = 50;

/**
 * Stands in for a database with a pool of connections, the bottleneck of many applications: it runs a few queries at
 * once, and further ones wait for a connection, in the pool's own queue. Its capacity is the same on any machine.
 */
const waiting: (() => void)[] = [];
let free = CONNECTIONS;

async function query(): Promise<void> {
  if (free > 0) free--;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  await setTimeout(QUERY_TIME * (0.5 + Math.random()));
  const next = waiting.shift();
  if (next === undefined) free++;
  else next();
}

createServer(async (_req, res) => {
  await query();
  res.setHeader('Content-Type', 'application/json');
  res.end(JSON.stringify({ title: 'How to stay up' }));
}).listen(Number(process.env.PORT), '127.0.0.1');
