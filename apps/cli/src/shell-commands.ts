import type { Command } from "commander";
import type { GlobalOptions } from "./global-options.ts";
import { print } from "./output.ts";

/** Registers the commands with which a shell completes the words of `appctl`. */
export function addShellCommands(program: Command, options: () => GlobalOptions): void {
  program
    .command("completion")
    .description("print the script with which a shell completes commands, options and names of apps")
    .argument("<shell>", "bash, zsh or fish")
    .action(async (shell: string) => {
      const { completionScript } = await import("./completion.ts");
      print(completionScript(shell));
    });

  program
    .command("complete", { hidden: true })
    .argument("[words...]")
    .action(async (words: string[]) => {
      const { completionsOf } = await import("./completion.ts");
      // A shell shows nothing for what cannot be completed now.
      for (const word of await completionsOf(program, words, options).catch(() => [])) print(word);
    });
}
