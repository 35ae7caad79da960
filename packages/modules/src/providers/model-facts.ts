import type { ModelFacts } from './vendor.js';

/** Windows and output limits by family. First match wins; a config or a listing that says otherwise beats the table. */
const FAMILIES: readonly [RegExp, ModelFacts][] = [
  [/^claude-(3|2|instant)/, { context_window: 200_000, max_output_tokens: 8_192 }],
  [/^claude-opus-4(-[01])?(-\d{8})?$/, { context_window: 200_000, max_output_tokens: 32_000 }],
  [
    /^claude-(opus|sonnet|haiku)-4(-[0-5])?(-\d{8})?$/,
    { context_window: 200_000, max_output_tokens: 64_000 },
  ],
  [/^claude-/, { context_window: 200_000, max_output_tokens: 128_000 }],
  [/^gpt-[56]/, { context_window: 400_000, max_output_tokens: 128_000 }],
  [/^gpt-4\.1/, { context_window: 1_047_576, max_output_tokens: 32_768 }],
  [/^gpt-4o/, { context_window: 128_000, max_output_tokens: 16_384 }],
  [/^o[134](-|$)/, { context_window: 200_000, max_output_tokens: 100_000 }],
  [/^gemini-/, { context_window: 1_048_576, max_output_tokens: 65_536 }],
];

export function modelFacts(model: string): ModelFacts | null {
  return FAMILIES.find(([family]) => family.test(model))?.[1] ?? null;
}
