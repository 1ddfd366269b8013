// A registry on this machine, to which a dry run publishes.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

export const rehearsalToken = 'rehearsal';

/** Why the registry does not take what npm has sent; undefined if it does. */
function fault({ name, versions, _attachments }, token, known) {
  if (token !== `Bearer ${rehearsalToken}`) return 'the token is missing';
  const [manifest] = Object.values(versions);
  const [{ data }] = Object.values(_attachments);
  const hash = createHash('sha512').update(Buffer.from(data, 'base64')).digest('base64');
  if (manifest.dist.integrity !== `sha512-${hash}`) return 'the tarball is damaged';
  const scope = `${name.split('/')[0]}/`;
  const needed = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
  const missing = needed.find((other) => other.startsWith(scope) && !known.has(other));
  return missing && `${missing} is not published yet`;
}

/** Starts the registry. `published` has the documents of npm, by package, in the order in which they arrived. */
export async function startRehearsal() {
  const published = new Map();
  const server = createServer(async (req, res) => {
    const name = decodeURIComponent(req.url.slice(1));
    const answer = (status, body) => {
      res.writeHead(status, { 'Content-Type': 'application/json' });
      res.end(JSON.stringify(body));
    };
    if (req.method !== 'PUT') {
      const found = published.get(name);
      return answer(found ? 200 : 404, found ?? { error: 'not found' });
    }
    const document = await json(req);
    const reason = fault(document, req.headers.authorization, published);
    if (reason !== undefined) return answer(403, { error: reason });
    published.set(name, document);
    answer(201, {});
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    published,
    registry: `http://127.0.0.1:${server.address().port}/`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
