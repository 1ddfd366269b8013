/**
 * Returns the path of a request's target as the client sent it. A target may be a complete URL (RFC 9112, 3.2.2), and
 * may contain a fragment. The path is not parsed as a URL: unlike routers, a URL parser would remove `..` and reject
 * some paths.
 */
export function pathOf(target: string): string {
  const [path = ''] = target.split(/[?#]/, 1);
  return path.startsWith('/') ? path : path.replace(/^[a-z][a-z\d+.-]*:\/\/[^/]*/i, '') || '/';
}

/**
 * The path, percent-decoded except for characters that separate parts of a URL. A path that cannot be decoded is
 * returned unchanged.
 */
export function decodedPath(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
