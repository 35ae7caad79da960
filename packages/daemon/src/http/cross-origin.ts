/**
 * Headers for a page of an origin that the gate has let through. Credentials are never involved: the token is a header. The library
 * would add them to the finished answer, which costs more (see `everyHeader`).
 */
export function crossOrigin(origin: string): Record<string, string> {
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers':
      'Location, Link, ETag, Idempotency-Replayed, Retry-After, X-Has-More, X-Next-Cursor, X-Request-Id',
    vary: 'Origin',
  };
}

export function preflight(origin: string): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...crossOrigin(origin),
      'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers':
        'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, X-Request-Id',
      'access-control-max-age': '600',
    },
  });
}
