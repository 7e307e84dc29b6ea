import type { Command, Option } from "commander";
import type { GlobalOptions } from "./global-options.ts";
import { UsageError } from "./usage-error.ts";

/** Arguments with these names are names of apps. */
const appArguments: ReadonlySet<string> = new Set(["app", "name"]);
const waitMs = 1_000;

/** Each asks `appctl complete` for the words that can follow. */
const scripts: Readonly<Record<string, string>> = {
  bash: `_appctl() {
  local IFS=$'\\n'
  COMPREPLY=($(appctl complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _appctl appctl`,
  zsh: `#compdef appctl
_appctl() {
  local -a found
  found=("\${(@f)$(appctl complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  found=(\${found:#})
  if (( $#found )); then compadd -a found; else _files; fi
}
compdef _appctl appctl`,
  fish: `function _appctl
  appctl complete -- (commandline --tokenize --cut-at-cursor --current-process)[2..] (commandline --current-token) 2>/dev/null
end
complete --command appctl --no-files --arguments '(_appctl)'
complete --command appctl --force-files --condition 'not count (_appctl) >/dev/null'`,
};

/** Returns the script that completes the words of `appctl` in a shell. Throws {@link UsageError} for another shell. */
export function completionScript(shell: string): string {
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  if (script === undefined)
    throw new UsageError(`the shell must be one of ${Object.keys(scripts).join(", ")}, got ${JSON.stringify(shell)}`);
  return script;
}

/**
 * Returns what can stand in place of the last of the words: commands, options, values of options and names of apps.
 *
 * @param words - The words after `appctl`. The last one is incomplete and may be empty.
 * @param options - Where the names of apps are. Without a response within a second there are none.
 */
export async function completionsOf(
  program: Command,
  words: readonly string[],
  options: () => GlobalOptions,
): Promise<readonly string[]> {
  const current = words.at(-1) ?? "";
  const { command, argument, option } = positionOf(program, words.slice(0, -1));
  const found = option
    ? (option.argChoices ?? (option.name() === "app" ? await appNames(options()) : []))
    : current.startsWith("-")
      ? [...command.options, ...program.options].flatMap(({ long, hidden }) => (long && !hidden ? [long] : []))
      : command.commands.length > 0
        ? command.commands.map((each) => each.name()).filter((name) => name !== "complete")
        : await valuesOf(command, argument, options);
  return [...new Set(found)].filter((each) => each.startsWith(current)).toSorted();
}

/** Returns the command to which the words lead, the index of its next argument, and the option that waits for a value. */
function positionOf(program: Command, words: readonly string[]) {
  let command = program;
  let argument = 0;
  let option: Option | undefined;
  for (const word of words) {
    if (option) option = undefined;
    else if (word.startsWith("-")) {
      const known = [...command.options, ...program.options].find(({ long, short }) => word === long || word === short);
      option = known?.required || known?.optional ? known : undefined;
    } else {
      const next = command.commands.find((each) => each.name() === word);
      if (next) command = next;
      else argument += 1;
    }
  }
  return { command, argument, option };
}

async function valuesOf(command: Command, index: number, options: () => GlobalOptions): Promise<readonly string[]> {
  const argument = command.registeredArguments[index] ?? command.registeredArguments.find(({ variadic }) => variadic);
  if (argument?.argChoices) return argument.argChoices;
  return argument && appArguments.has(argument.name()) ? await appNames(options()) : [];
}

async function appNames(options: GlobalOptions): Promise<readonly string[]> {
  const [{ ask }, { AppNamesDocument }] = await Promise.all([import("./client.ts"), import("./generated/operations.ts")]);
  const { apps } = await ask(options, AppNamesDocument, { first: 250 }, AbortSignal.timeout(waitMs));
  return apps.edges.map(({ node }) => node.name);
}
