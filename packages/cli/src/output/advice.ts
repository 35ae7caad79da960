import type { Outcome } from '@amplifier/host';

type OutcomeError = Exclude<Outcome, { status: 'completed' }>['error'];

const LATER = 'Try again later, choose another with --provider, or allow a fallback with --fallback.';

/** What to do about a provider that failed, by the code of the error. */
const ADVICE: Record<string, (provider: string) => string> = {
  AUTHENTICATION: (provider) =>
    `Check its key with: amplifier provider test ${provider}. Set another with: amplifier provider add ${kind(provider)} --api-key -`,
  ACCESS_DENIED: (provider) =>
    `The key has no access to this model. List the models it may use: amplifier provider models ${provider}`,
  NOT_FOUND: (provider) => `List the models: amplifier provider models ${provider}`,
  QUOTA_EXCEEDED: () =>
    'Its account has no credit left. Choose another with --provider, or allow a fallback with --fallback.',
  RATE_LIMIT: () => LATER,
  PROVIDER_UNAVAILABLE: () => LATER,
  NETWORK_ERROR: () => LATER,
};

export function adviceFor({ code, origin }: OutcomeError, provider: string | null): string | null {
  return ADVICE[code]?.(provider ?? origin ?? 'NAME') ?? null;
}

/** What went wrong, with the provider by the name it has in the settings where that is another than its kind. */
export function whatFailed({ message, origin }: OutcomeError, provider: string | null): string {
  if (provider === null || !origin || provider === origin || !message.startsWith(`${origin} `))
    return message;
  return `${provider} (${origin})${message.slice(origin.length)}`;
}

function kind(provider: string): string {
  return provider.replace(/^provider-/, '');
}
