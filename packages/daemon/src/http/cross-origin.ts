/** Headers for a page of an origin that the gate has let through. Credentials are never involved: the token is a header. */
export function allowCrossOrigin(headers: Headers, origin: string): void {
  headers.set('access-control-allow-origin', origin);
  headers.set('access-control-expose-headers', 'Location, Link, ETag, X-Next-Cursor, X-Request-Id');
  headers.append('vary', 'Origin');
}

export function preflight(origin: string): Response {
  const headers = new Headers({
    'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
    'access-control-allow-headers': 'Authorization, Content-Type, If-Match, If-None-Match, X-Request-Id',
    'access-control-max-age': '600',
  });
  allowCrossOrigin(headers, origin);
  return new Response(null, { status: 204, headers });
}
