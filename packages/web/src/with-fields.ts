/** Appends header fields to a response, or to a copy of it if its headers are immutable, as those of a redirect. */
export function withFields(
  response: Response,
  fields: readonly (readonly [name: string, value: string])[],
): Response {
  // A response that switches protocols cannot be copied, nor can `Response.error()`.
  if (fields.length === 0 || response.status < 200) return response;
  try {
    append(response.headers, fields);
    return response;
  } catch {
    const copy = new Response(response.body, response);
    append(copy.headers, fields);
    return copy;
  }
}

function append(headers: Headers, fields: Parameters<typeof withFields>[1]): void {
  for (const [name, value] of fields) headers.append(name, value);
}
