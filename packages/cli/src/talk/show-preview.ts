import { type ApprovalPreview, isPlainObject, type PreviewLine, type Question } from '@amplifier/host';
import type { Cli } from '../cli.js';
import { counted } from '../terminal/fit.js';

/** Lines of a change that are shown before it is approved; a longer one says how much more there is. */
const MAX_SHOWN = 60;
const MAX_INSTRUCTION = 300;

/** What a person should see before they say yes: the change, the command and its folder, the address, who would be asked. */
export function previewLines({ subject }: Pick<Question, 'subject'>, color: Cli['color']): string[] {
  if (!isPlainObject(subject?.preview)) return [];
  const preview = subject.preview as unknown as ApprovalPreview;
  if (preview.kind === 'change') return changeLines(preview, color);
  if (preview.kind === 'command')
    return [
      ...preview.command.split('\n').map((line, at) => `  ${at === 0 ? '$' : ' '} ${line}`),
      color.dim(`  in ${preview.cwd}`),
      color.dim(`  ${preview.sandbox}`),
    ];
  if (preview.kind === 'address') return [`  ${preview.url}`, color.dim(`  at ${preview.host || 'no host'}`)];
  const instruction = preview.instruction.replace(/\s+/g, ' ');
  return [
    `  agent   ${color.bold(preview.agent)}`,
    `  model   ${preview.model}`,
    `  budget  ${preview.budget}`,
    color.dim(
      `  task    ${instruction.length > MAX_INSTRUCTION ? `${instruction.slice(0, MAX_INSTRUCTION)}…` : instruction}`,
    ),
  ];
}

function changeLines(
  { file, is_new, added, removed, lines, left_out }: Extract<ApprovalPreview, { kind: 'change' }>,
  color: Cli['color'],
): string[] {
  const head = `  ${color.bold(file)}${is_new ? ' (new)' : ''}  ${color.green(`+${added}`)} ${color.red(`-${removed}`)}`;
  const width = String(Math.max(0, ...lines.map(({ number }) => number))).length;
  const more = left_out + Math.max(0, lines.length - MAX_SHOWN);
  return [
    head,
    ...lines.slice(0, MAX_SHOWN).map((line) => changeLine(line, width, color)),
    ...(more > 0 ? [color.dim(`  … ${counted(more, 'more line')}`)] : []),
    ...(lines.length === 0 ? [color.dim('  Nothing would change.')] : []),
  ];
}

function changeLine({ sign, number, text }: PreviewLine, width: number, color: Cli['color']): string {
  if (sign === '@') return color.dim(`  ${'⋮'.padStart(width)}`);
  const line = `  ${String(number).padStart(width)} ${sign} ${text.replaceAll('\t', '  ')}`;
  if (sign === '+') return color.green(line);
  return sign === '-' ? color.red(line) : color.dim(line);
}
