import { fileServerSuite } from '@headgate/test-kit/file-server-suite';
import serveStatic from 'serve-static';
import { nodeFramework } from './framework.ts';

fileServerSuite(nodeFramework, {
  'serve-static on node:http': (limit, folder) => {
    const serve = serveStatic(folder);
    return limit((req, res) => {
      serve(req, res, () => res.writeHead(404).end());
    });
  },
  // Next serves its files so.
  'a promise that waits for finish, on node:http': (limit, folder) => {
    const serve = serveStatic(folder);
    return limit(async (req, res) => {
      const finished = new Promise((resolve) => res.on('finish', resolve));
      serve(req, res, () => res.writeHead(404).end());
      await finished;
    });
  },
});
