/** Credentials that can be told by their shape, wherever they stand in a text. */
const SHAPES: readonly RegExp[] = [
  /\bsk-(?:ant-|proj-|or-)?[A-Za-z0-9_-]{16,}/g,
  /\bgh[pousr]_[A-Za-z0-9]{20,}\b/g,
  /\bgithub_pat_[A-Za-z0-9_]{22,}\b/g,
  /\bglpat-[A-Za-z0-9_-]{20,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bAIza[A-Za-z0-9_-]{30,}/g,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g,
  /\bnpm_[A-Za-z0-9]{36}\b/g,
  /\b(?:gsk|hf|r8)_[A-Za-z0-9]{20,}\b/g,
  /\b(?:xai|pplx)-[A-Za-z0-9]{20,}\b/g,
  // Bounded, because a text may hold the beginning of one thousands of times.
  /\beyJ[A-Za-z0-9_-]{8,600}\.eyJ[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{8,}/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
];

/** Most text has none of these, and is looked at once. */
const MAY_HOLD_SHAPE =
  /sk-|gh[pousr]_|github_pat_|glpat-|AKIA|ASIA|AIza|xox[abeoprs]-|npm_|gsk_|hf_|r8_|xai-|pplx-|eyJ|PRIVATE KEY/;

export function redactShapes(text: string, replacement: string): string {
  if (!MAY_HOLD_SHAPE.test(text)) return text;
  return SHAPES.reduce((left, shape) => left.replace(shape, replacement), text);
}
