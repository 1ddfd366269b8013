/** The path of a request's target, which may be a complete URL (RFC 9112, 3.2.2). */
export function pathOf(url: string): string {
  const [path = ''] = url.split('?', 1);
  return URL.canParse(url) ? new URL(url).pathname : path;
}
