import { type AmplifierModule, EVENTS, glob, type HookReply, type JsonObject } from '@amplifier/core';
import { z } from 'zod';
import { agentName } from '../../agent-name.js';
import { readConfig } from '../../read-config.js';
import { sessionSandbox } from '../../tools/tool-bash/session-sandbox.js';
import { SHELL_GUARD_PRIORITY, SHELL_HOOK_GRACE_MS } from '../defaults.js';
import {
  type ClaudeMatcher,
  claudeInput,
  claudeMatcher,
  concernsClaude,
  readClaudeAnswer,
} from './claude-protocol.js';
import { readAnswer } from './read-answer.js';
import { runHookCommand } from './run-hook-command.js';
import { ShellHook } from './shell-hook.js';

/** Events that come before an act. */
const GUARDED: ReadonlySet<string> = new Set([
  EVENTS.TOOL_PRE,
  EVENTS.PROMPT_SUBMIT,
  EVENTS.PROVIDER_REQUEST,
]);

const Config = z.object({ hooks: z.array(ShellHook).default([]) });

/** Hooks that are programs: they get the event as JSON on their input and may answer with a hook result as JSON. */
const module: AmplifierModule = {
  async mount(coordinator, config: JsonObject) {
    const sandbox = sessionSandbox(coordinator);
    const tell = (message: string) =>
      coordinator.report({ level: 'warning', code: 'SHELL_HOOK_FAILED', message, module_id: 'hooks-shell' });
    // A session that begins has no conversation yet: what is added to it then comes behind the first prompt.
    const early: string[] = [];
    const { hooks } = readConfig('hooks-shell', Config, config);
    const matchers = await Promise.all(hooks.map(claudeMatcher));
    const stops = hooks.map((hook, index) => {
      const matches = matchers[index] as ClaudeMatcher;
      const concerns = hook.tools ? glob(hook.tools) : () => true;
      const on_failure = hook.on_failure ?? (GUARDED.has(hook.event) ? 'deny' : 'continue');
      return coordinator.hooks.register(
        hook.event,
        async (event, data) => {
          if (hook.tools && !concerns(String(data.tool_name))) return null;
          if (hook.claude && !concernsClaude(hook, matches, data, coordinator)) return null;
          const input: JsonObject = hook.claude
            ? claudeInput(hook, data, coordinator)
            : {
                event,
                session_id: coordinator.session.id,
                parent_id: coordinator.session.parent_id,
                agent: agentName(coordinator),
                working_dir: coordinator.getCapability('session.working_dir'),
                data,
              };
          const end = await runHookCommand(hook, input, coordinator, sandbox);
          const answer = hook.claude ? readClaudeAnswer(end, hook, data) : readAnswer(end, hook);
          if ('fault' in answer && typeof answer.fault === 'string') tell(answer.fault);
          if (!('failure' in answer)) {
            const { action, context_injection } = answer.reply ?? {};
            if (event !== EVENTS.SESSION_START || action !== 'inject_context') return answer.reply;
            early.push(context_injection ?? '');
            return null;
          }
          if (on_failure === 'deny') return { action: 'deny', reason: answer.failure };
          tell(answer.failure);
          return null;
        },
        {
          priority: SHELL_GUARD_PRIORITY,
          name: `hooks-shell ${nameOf(hook)}`,
          timeoutMs: hook.timeout * 1000 + SHELL_HOOK_GRACE_MS,
        },
      );
    });
    const first = (): HookReply => {
      if (early.length === 0) return null;
      const context_injection = early.splice(0).join('\n\n');
      return { action: 'inject_context', context_injection, context_injection_role: 'user' };
    };
    stops.push(coordinator.hooks.register(EVENTS.PROMPT_SUBMIT, first, { name: 'hooks-shell at the start' }));
    return () => {
      for (const stop of stops) stop();
    };
  },
};
export default module;

function nameOf({ command }: ShellHook): string {
  return typeof command === 'string' ? command : command.join(' ');
}
