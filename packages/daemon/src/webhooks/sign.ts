import { createHmac } from 'node:crypto';

const PREFIX = 'whsec_';

export function newSecret(bytes: Uint8Array): string {
  return PREFIX + Buffer.from(bytes).toString('base64');
}

/**
 * The headers of a delivery, as the Standard Webhooks specification has them: the id, the time of the attempt and the
 * body are signed together, so that none can be changed and an old request cannot be sent again later.
 */
export function signedHeaders(
  secret: string,
  id: string,
  seconds: number,
  body: string,
): Record<string, string> {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${signature}`,
  };
}
