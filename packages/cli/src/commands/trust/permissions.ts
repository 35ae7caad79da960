import {
  ApprovalPolicy,
  decideApproval,
  decidePermission,
  hostPaths,
  isPlainObject,
  type JsonObject,
  loadSettings,
  PERMISSION_ACTIONS,
  type PermissionAction,
  readPermissions,
  splitRule,
  toolsNamed,
  touchedPaths,
} from '@amplifier/host';
import type { Cli } from '../../cli.js';
import { changeSetting, chooseScope } from '../../options/choose-scope.js';
import type { Options } from '../../program/bind.js';
import { table } from '../../terminal/fit.js';
import { UsageError } from '../../usage-error.js';

export async function permissionsList(cli: Cli): Promise<number> {
  const { rules, set_aside } = await readPermissions(hostPaths(cli.cwd), process.env);
  if (cli.json) {
    const shown = ({ action, text, from }: (typeof rules)[number]) => ({ action, rule: text, from });
    cli.printJson({
      rules: rules.map(shown),
      set_aside: set_aside.map(({ rule, because }) => ({ ...shown(rule), because })),
    });
    return 0;
  }
  const rows = rules.map(({ action, text, from }) => [action, text, from]);
  for (const line of table(rows, cli.width)) cli.print(line);
  if (rules.length === 0)
    cli.say('There are no rules. Add one with: amplifier permissions add allow "bash: git status *"');
  for (const [why, texts] of byReason(set_aside))
    cli.say(`Ignored, because ${why}:\n${texts.map((text) => `  ${text}`).join('\n')}`);
  return 0;
}

/** Rules that do not count, below the reason that several of one file share. */
function byReason(
  set_aside: Awaited<ReturnType<typeof readPermissions>>['set_aside'],
): Map<string, string[]> {
  const grouped = new Map<string, string[]>();
  for (const { rule, because } of set_aside) {
    const why = `${because} (${rule.from})`;
    grouped.set(why, [...(grouped.get(why) ?? []), `${rule.action} ${rule.text}`]);
  }
  return grouped;
}

export async function permissionsAdd(
  cli: Cli,
  action: string,
  rule: string,
  options: Options,
): Promise<number> {
  if (!isAction(action))
    throw new UsageError(
      `'${action}' is not one of allow, ask, deny. Write: amplifier permissions add allow "${rule}"`,
    );
  checked(rule);
  const scope = chooseScope(options);
  if (action === 'allow' && scope !== 'user')
    throw new UsageError(
      'The settings of a folder may only ask or deny, never allow. Omit the scope to write to your own settings.',
    );
  const listed = await listedIn(cli, options, action);
  if (listed.some((entry) => textsOf(entry).includes(rule))) {
    cli.say(`There already: ${action} ${rule}`);
    return 0;
  }
  const file = await changeSetting(cli, options, { path: ['permissions', action], value: [...listed, rule] });
  if (cli.json) cli.printJson({ action, rule, file });
  else cli.say(`Added to ${file}: ${action} ${rule}`);
  return 0;
}

export async function permissionsRemove(cli: Cli, rule: string, options: Options): Promise<number> {
  const removed: { action: PermissionAction; file: string }[] = [];
  for (const action of PERMISSION_ACTIONS) {
    const listed = await listedIn(cli, options, action);
    const kept = listed.flatMap((entry) => without(entry, rule));
    if (JSON.stringify(kept) === JSON.stringify(listed)) continue;
    const value = kept.length === 0 ? undefined : kept;
    removed.push({
      action,
      file: await changeSetting(cli, options, { path: ['permissions', action], value }),
    });
  }
  if (cli.json) cli.printJson({ rule, removed });
  for (const { action, file } of removed) if (!cli.json) cli.say(`Removed from ${file}: ${action} ${rule}`);
  if (removed.length > 0) return 0;
  const file = hostPaths(cli.cwd).settings[chooseScope(options)];
  cli.say(
    `${file} has no rule '${rule}'. 'amplifier permissions list' shows each rule and the file it is in.`,
  );
  return 1;
}

/** Says what would happen to a call. Nothing is run. */
export async function permissionsTest(cli: Cli, call: string): Promise<number> {
  const { rules } = await readPermissions(hostPaths(cli.cwd), process.env);
  const { tool: named, pattern } = checked(asRule(call));
  const [tool = named] = toolsNamed(named);
  const subject = pattern ?? '';
  const input = inputOf(tool, subject);
  const asked = { tool, input, ...(await touchedPaths(input, cli.cwd)) };
  const byRule = await decidePermission(rules, asked);
  const otherwise = await decideApproval(ApprovalPolicy.parse({}), asked);
  const verdict = byRule ?? {
    action: otherwise.action,
    because:
      otherwise.action === 'ask'
        ? 'No rule covers it. In a terminal you are asked; elsewhere the safety mode decides.'
        : 'No rule covers it. Such calls are allowed without asking.',
  };
  if (cli.json) {
    const rule = byRule
      ? { action: byRule.rule.action, rule: byRule.rule.text, from: byRule.rule.from }
      : null;
    cli.printJson({ call, tool, action: verdict.action, because: verdict.because, rule });
  } else cli.print(`${cli.color.bold(verdict.action)}  ${tool} ${subject}\n${verdict.because}`);
  return 0;
}

/** A call may also be written as it is shown: the tool, a space, and what it is used on. */
function asRule(call: string): string {
  return call.replace(/^\s*([\w.-]+)\s+(?![(:])/, '$1: ');
}

function inputOf(tool: string, subject: string): JsonObject {
  if (tool === 'bash') return { command: subject };
  if (tool === 'web_fetch') return { url: URL.canParse(subject) ? subject : `https://${subject}` };
  if (tool === 'web_search') return { query: subject };
  if (tool === 'delegate' || tool === 'task') return { agent: subject };
  return subject === '' ? {} : { file_path: subject };
}

function checked(text: string): { tool: string; pattern: string | null } {
  try {
    return splitRule(text);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function isAction(word: string): word is PermissionAction {
  return (PERMISSION_ACTIONS as readonly string[]).includes(word);
}

async function listedIn(cli: Cli, options: Options, action: PermissionAction): Promise<unknown[]> {
  const { scopes } = await loadSettings(hostPaths(cli.cwd).settings);
  const section = scopes[chooseScope(options)]?.permissions;
  return isPlainObject(section) && Array.isArray(section[action]) ? section[action] : [];
}

/** An entry as the lines it stands for. */
function textsOf(entry: unknown): string[] {
  if (!isPlainObject(entry)) return [String(entry)];
  return Object.entries(entry).flatMap(([tool, patterns]) =>
    [patterns].flat().map((each) => `${tool}: ${each}`),
  );
}

/** What is left of an entry without one of its lines. */
function without(entry: unknown, rule: string): unknown[] {
  const texts = textsOf(entry);
  return texts.includes(rule) ? texts.filter((text) => text !== rule) : [entry];
}
