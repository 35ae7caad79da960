import type { Span } from '../api/types.js';
import { duration, money, plain, tokens } from '../ui/format.js';

const KINDS: Record<Span['kind'], string> = {
  turn: 'Turn',
  model: 'Model call',
  tool: 'Tool',
  wait: 'Waited for',
};

/** A bar in one line. */
export function aboutSpan(span: Span): string {
  const took = span.end ? duration(Date.parse(span.end) - Date.parse(span.start)) : 'still going';
  const parts = [`${KINDS[span.kind]} ${plain(span.name)}`, took];
  if (span.kind === 'model') parts.push(`${tokens(span.tokens)} tokens`, money(span.cost_usd));
  if (span.ok === false) parts.push('failed');
  return parts.join(' · ');
}
