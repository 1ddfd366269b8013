import type { InFront } from '../hosts/host.ts';
import { host } from '../hosts/node.ts';
import { commonCases, serving } from './common-cases.ts';
import type { LimitedSituation, Serve } from './situation.ts';

const serve = serving(host);

function handWritten({ limit, queueLimit }: LimitedSituation): InFront {
  const queue: Array<() => void> = [];
  let inflight = 0;
  const done = () => {
    inflight--;
    queue.shift()?.();
  };
  return (listener) => (req, res) => {
    const admit = () => {
      // A response that is already closed emits no further `close`.
      if (res.destroyed) return queue.shift()?.();
      inflight++;
      res.on('close', done);
      listener(req, res);
    };
    if (inflight < limit) return admit();
    if (queue.length < queueLimit) return queue.push(admit);
    res.writeHead(503, { 'Retry-After': '1' }).end();
  };
}

export const cases: Record<string, Serve> = {
  ...commonCases(host),
  'hand-written': serve(handWritten),
};
