/** The roles every matrix should know, with what each is for. A matrix may add roles of its own. */
export const MODEL_ROLES = {
  general: 'Anything that needs no specialist.',
  fast: 'Quick work in bulk: parsing, sorting, file operations.',
  coding: 'Writing, changing and debugging code.',
  'ui-coding': 'Code people look at: components, layout, styling.',
  'security-audit': 'Finding weaknesses: attack surface, vulnerabilities, unsafe code.',
  reasoning: 'Thinking in depth: architecture, system design, many-step analysis.',
  critique: 'Judging work that exists and finding its flaws.',
  creative: 'Direction in design, taste, ideas.',
  writing: 'Long texts: documentation, articles, stories.',
  research: 'Looking into a question and joining what many sources say.',
  vision: 'Reading pictures: screenshots, diagrams, mockups.',
  'image-gen': 'Making pictures.',
  'critical-ops': 'Operations that must not go wrong: infrastructure, orchestration.',
} as const;

export type ModelRole = keyof typeof MODEL_ROLES;
