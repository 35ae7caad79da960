import type { PermissionOption } from '@agentclientprotocol/sdk';
import { isAcceptance } from '@amplifier/core';

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
