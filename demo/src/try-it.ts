import { credentials } from './client.ts';
import type { Protection } from './protection.ts';

/** Commands that the reader can run against the protected server. */
export function tryIt(port: number, { limit, queueLimit, queueTimeout }: Protection): string {
  const origin = `http://127.0.0.1:${port}`;
  const account = `-u ${credentials} ${origin}/account`;
  const crowd = 4 * (limit + queueLimit);
  return `  The protected server stays up (limit ${limit}, queueLimit ${queueLimit}, queueTimeout ${queueTimeout} ms). In another terminal:

  One visitor:
    curl -i ${account}

  ${crowd} at once; most are rejected immediately:
    seq ${crowd} | xargs -P ${crowd} -I{} curl -s -o /dev/null -w '%{http_code} after %{time_total} s\\n' ${account} | sort

  The response to a rejected request:
    seq ${crowd} | xargs -P ${crowd} -I{} curl -s -i ${account} | grep -m1 -A 12 ' 503 '

  What is in flight and waiting, which is never limited itself:
    curl ${origin}/stats

  Ctrl+C ends it.
`;
}
