import { summaryRequest } from '@amplifier/host';
import type { RunRequest } from '../jobs/job-state.js';
import type { Role } from '../roles/built-in-roles.js';

type Task = Pick<RunRequest, 'prompt' | 'files' | 'max_result' | 'hand_back'>;

/** What the agent is told: who to be, what to look at, what to do, and how much to hand back. */
export function composePrompt(task: Task, role: Role | null): string {
  const { prompt, files } = task;
  const persona = role ? `${role.prompt}\n\n---\n\n` : '';
  const scope = files.length > 0 ? `\n\nFiles in scope:\n${files.map((file) => `- ${file}`).join('\n')}` : '';
  const form = summaryRequest(task);
  return `${persona}${prompt}${scope}${form === '' ? '' : `\n\n${form}`}`;
}
