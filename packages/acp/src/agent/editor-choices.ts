import type { PermissionOption, SessionConfigOption, SessionModeState } from '@agentclientprotocol/sdk';
import { isAcceptance } from '@amplifier/core';
import { SafetyMode } from '@amplifier/workspace';

const WORDS: Record<SafetyMode, [name: string, description: string]> = {
  read_only: ['Read only', 'Looks at files and changes nothing.'],
  propose: ['Propose', 'Works in a tree of its own and hands back a patch.'],
  write: ['Write', 'Changes files in the folder; asks where it should.'],
  yolo: ['Yolo', 'Does whatever it takes, anywhere, without asking.'],
};

/** The safety modes, as modes of a session. */
export function sessionModes(current: SafetyMode): SessionModeState {
  return {
    currentModeId: current,
    availableModes: SafetyMode.options.map((id) => ({ id, name: WORDS[id][0], description: WORDS[id][1] })),
  };
}

/** The same, and the choice of models, in the newer form. */
export function configOptions(
  mode: SafetyMode,
  model: string | null,
  models: readonly { id: string; name: string }[],
): SessionConfigOption[] {
  const modes = SafetyMode.options.map((value) => ({
    value,
    name: WORDS[value][0],
    description: WORDS[value][1],
  }));
  const choice: SessionConfigOption[] = [
    { type: 'select', id: 'mode', name: 'Mode', category: 'mode', currentValue: mode, options: modes },
  ];
  if (models.length === 0) return choice;
  const options = models.map(({ id, name }) => ({ value: id, name }));
  const currentValue = model ?? models[0]?.id ?? '';
  return [
    ...choice,
    { type: 'select', id: 'model', name: 'Model', category: 'model', currentValue, options },
  ];
}

/** The answers to a question, as an editor offers them. The id is the answer itself. */
export function permissionOptions(options: readonly string[]): PermissionOption[] {
  return options.map((option) => {
    const always = /always/i.test(option);
    const kind = isAcceptance(option)
      ? always
        ? ('allow_always' as const)
        : ('allow_once' as const)
      : always
        ? ('reject_always' as const)
        : ('reject_once' as const);
    return { optionId: option, name: option.charAt(0).toUpperCase() + option.slice(1), kind };
  });
}
