/**
 * The path of a request's target as the client sent it. A target may be a complete URL (RFC 9112, 3.2.2), and clients may
 * send a fragment. Parsing it as a URL would remove `..`, which routers do not, and fail where routers do not.
 */
export function pathOf(target: string): string {
  const [path = ''] = target.split(/[?#]/, 1);
  return path.startsWith('/') ? path : path.replace(/^[a-z][a-z\d+.-]*:\/\/[^/]*/i, '') || '/';
}

/** The path with its encoded characters, except those that separate parts of a URL; as it is, if that is impossible. */
export function decodedPath(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
