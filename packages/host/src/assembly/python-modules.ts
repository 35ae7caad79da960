import type { ModuleSourceResolver } from '@amplifier/core';
import { FoundationError } from '@amplifier/foundation';

/**
 * Modules of public bundles that exist in Python alone and guard nothing, with what a session lacks without them. They are
 * left out without being fetched. A hook that is not named here and cannot be fetched may be a guard: a session does not run
 * without it.
 */
export const PYTHON_MODULES: Readonly<Record<string, string>> = {
  'hooks-deprecation': 'there is no notice that a bundle will be retired',
  'hooks-mode': 'modes cannot be switched; safety modes and agents take their place',
  'hooks-progress-monitor': 'only its limits end a session that repeats itself',
  'hooks-python-check': 'Python files are not checked after each change',
  'hooks-session-naming': 'sessions are titled by their first instruction, not by a model',
  'hooks-status-context': 'nothing: date, folder, system and git state are in every system prompt',
  'hooks-todo-display': 'the to-do list is shown as a tool result, not drawn',
  'hooks-todo-reminder': 'the model is not reminded of its to-do list at every step',
  'tool-apply-patch': 'files are changed by edit_file and write_file',
  'tool-lsp': 'code is searched as text, without a language server',
  'tool-mode': 'the model cannot switch modes',
  'tool-python-check': 'Python is checked by commands, such as ruff and pyright',
  'tool-recipes': 'recipes cannot be run; their agents can be delegated to one by one',
};

/** Modules of public bundles that ours serve under another id, each with what is different. */
export const OTHER_IDS: Readonly<Record<string, { module: string; differs: string }>> = {
  'hook-redaction': {
    module: 'hooks-redaction',
    differs: 'secrets are taken out; mail addresses and telephone numbers are not',
  },
  'hook-shell': {
    module: 'hooks-shell',
    differs: 'commands of .amplifier/hooks are run once the folder is trusted; prompts as hooks are not',
  },
};

/** Resolves as before, and says at once of modules that are known to be Python that there is nothing to load. */
export function withoutPython(
  resolver: ModuleSourceResolver,
  isReplaced: (moduleId: string) => boolean,
): ModuleSourceResolver {
  return {
    async resolve(moduleId, source) {
      const cost = Object.hasOwn(PYTHON_MODULES, moduleId) ? PYTHON_MODULES[moduleId] : undefined;
      if (cost === undefined || isReplaced(moduleId) || !isPublic(source))
        return resolver.resolve(moduleId, source);
      throw new FoundationError(`it is written in Python and has no counterpart here. Without it ${cost}.`, {
        code: 'SOURCE_NOT_FOUND',
        origin: moduleId,
      });
    },
  };
}

/** A module of the same id from anywhere else is another module. */
function isPublic(source: string | undefined): boolean {
  return source === undefined || /^git\+https:\/\/github\.com\/microsoft\/amplifier-/.test(source);
}
