/** Of each response. */
export const headers = {
  // Forbids other origins, inline code and framing. Trusted types keep names from becoming markup.
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  // Not cached: the page may be private, and a newer version may have other files.
  'Cache-Control': 'private, no-cache',
};

/** Of responses with data. */
export const live = {
  ...headers,
  // `no-transform` keeps compressing middleware and proxies from delaying the stream.
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
};
