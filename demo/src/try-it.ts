/** Commands to try at the protected server. */
export function tryIt(port: number): string {
  const origin = `http://127.0.0.1:${port}`;
  const page = `${origin}/article`;
  const many = 300;
  const atOnce = `seq ${many} | xargs -P ${many} -I{} curl -s`;
  return `  The protected server stays up. In another terminal:

  One request:
    curl -i ${page}

  ${many} at once; some are rejected, quickly:
    ${atOnce} -o /dev/null -w '%{http_code} after %{time_total} s\\n' ${page} | sort

  A rejection:
    ${atOnce} -i ${page} | grep -m1 -A 12 ' 503 '

  In flight and queued (this route is not limited):
    curl ${origin}/stats

  Ctrl+C stops it.
`;
}
