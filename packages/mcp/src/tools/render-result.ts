import { shorten } from '@amplifier/host';
import { TEXT_CHARACTERS } from '../defaults.js';
import type { DelegationResult, JobHandle } from '../delegate/envelope.js';

/** A result as a person or a model would want to read it: the answer first, then what is worth knowing about it. */
export function renderResult(result: DelegationResult): string {
  const { target, ok, status, text, session_id, error, question, diff, changed_files, notice, run_dir } =
    result;
  const about = [
    ok
      ? null
      : `${status}: ${error?.message ?? ''}${error ? ` [${error.code}, ${error.reexecution_safety}]` : ''}`,
    question ? `It asks: ${question}` : null,
    result.fallback_chain.length > 0 ? `Tried before: ${result.fallback_chain.join(', ')}` : null,
    changed_files.length > 0
      ? `${result.changes_applied ? 'Changed' : 'Proposed, not applied'}: ${changed_files.join(', ')}`
      : null,
    notice,
    `${target.cli}${result.selected_model ? ` on ${result.selected_model}` : ''}, ${result.duration_s} s, ${result.cost.total_tokens} tokens${session_id ? `, session ${session_id}` : ''}`,
    run_dir ? `Kept in ${run_dir}` : null,
  ].filter((line) => line !== null);
  return [cut(text.trim()), diff ? `\`\`\`diff\n${cut(diff)}\n\`\`\`` : '', about.join('\n')]
    .filter((part) => part !== '')
    .join('\n\n');
}

export function renderHandle({ job_id, status }: JobHandle): string {
  return `Job ${job_id} is ${status}. Wait for it with wait_job, or look with job_status and job_result.`;
}

function cut(text: string): string {
  return shorten(
    text,
    TEXT_CHARACTERS,
    (more) => `\n… (${more} more characters are in the structured result)`,
  );
}
