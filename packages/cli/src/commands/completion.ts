import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { UsageError } from '../usage-error.js';

/** A completion script for a shell. The words are those of the program itself, so the script cannot fall behind it. */
export async function completion(cli: Cli, shell: string, program: Command): Promise<number> {
  const write = SHELLS[shell];
  if (!write)
    throw new UsageError(
      `There is no completion for '${shell}'. There is for ${Object.keys(SHELLS).join(', ')}.`,
    );
  cli.print(write(wordsOf(program)));
  return 0;
}

interface Words {
  path: string;
  words: string[];
}

/** What may follow each command: its subcommands and its options. */
function wordsOf(command: Command, path = ''): Words[] {
  const own = command.commands.filter((sub) => !('_hidden' in sub && sub._hidden));
  const options = command.options.map(({ long, short }) => long ?? short ?? '');
  return [
    { path, words: [...own.map((sub) => sub.name()), ...options] },
    ...own.flatMap((sub) => wordsOf(sub, `${path} ${sub.name()}`.trim())),
  ];
}

const SHELLS: Record<string, ((all: Words[]) => string) | undefined> = {
  bash: (all) => `_amplifier() {
  local path="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do [[ $word == -* ]] || path="$path $word"; done
  case "\${path# }" in
${all.map(({ path, words }) => `    "${path}") COMPREPLY=($(compgen -W "${words.join(' ')}" -- "\${COMP_WORDS[COMP_CWORD]}"));;`).join('\n')}
  esac
}
complete -o default -F _amplifier amplifier`,
  zsh: (all) => `#compdef amplifier
_amplifier() {
  local -a before; before=(\${(M)words[2,CURRENT-1]:#[^-]*})
  case "\${before[*]}" in
${all.map(({ path, words }) => `    "${path}") compadd -- ${words.join(' ')};;`).join('\n')}
    *) _files;;
  esac
}
compdef _amplifier amplifier`,
  fish: (all) =>
    [
      'function __amplifier_path; set -l words (commandline -opc); set -e words[1]; string match -v -- "-*" $words | string join " "; end',
      ...all.map(
        ({ path, words }) =>
          `complete -c amplifier -f -n 'test (__amplifier_path) = "${path}"' -a "${words.join(' ')}"`,
      ),
    ].join('\n'),
};
