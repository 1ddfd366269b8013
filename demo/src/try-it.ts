import { credentials } from './client.ts';
import type { Protection } from './protection.ts';

/** Commands to try at the protected server. */
export function tryIt(port: number, { limit, queueLimit, queueTimeout }: Protection): string {
  const origin = `http://127.0.0.1:${port}`;
  const account = `-u ${credentials} ${origin}/account`;
  const requests = 4 * (limit + queueLimit);
  return `  The protected server stays up (limit ${limit}, queueLimit ${queueLimit}, queueTimeout ${queueTimeout} ms). In another terminal:

  One request:
    curl -i ${account}

  ${requests} at once; most are rejected, quickly:
    seq ${requests} | xargs -P ${requests} -I{} curl -s -o /dev/null -w '%{http_code} after %{time_total} s\\n' ${account} | sort

  A rejection:
    seq ${requests} | xargs -P ${requests} -I{} curl -s -i ${account} | grep -m1 -A 12 ' 503 '

  In flight and queued (this route is not limited):
    curl ${origin}/stats

  Ctrl+C stops it.
`;
}
