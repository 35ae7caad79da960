import type { LaunchRecord } from './launch-record.js';

/**
 * What a child is told about being one: what it was given and what it is expected to hand back. The same for all children that are
 * launched alike, so that their requests begin alike. Empty for a session that nobody delegated to.
 */
export function childPrompt({ parent_id, context, skills, may_ask, max_result }: LaunchRecord): string {
  if (parent_id === null) return '';
  const given = [
    'your task, in the first message',
    ...(context.depth === 'none'
      ? []
      : ['before it, parts of the conversation you were called from, as background']),
    ...(context.files && context.files.passed.length > 0 ? ['the instructions of this project'] : []),
    ...(skills && skills.length > 0 ? [`the skills ${skills.join(', ')}`] : []),
    'the tools you see, and nothing else',
  ];
  return [
    '<delegation>',
    'Another agent handed you one task and waits for the result. No person reads along.',
    `You are given ${given.join('; ')}.`,
    `Hand back your last message: it is all the other agent gets${max_result === undefined ? '' : ` of you, at most ${max_result} characters of it`}. Say what you found or did, with the files and lines it rests on, what you checked, and what is left open. Say plainly what you could not do.`,
    ...(may_ask ? ['Ask only for what you can neither find out nor decide.'] : []),
    '</delegation>',
  ].join('\n');
}
