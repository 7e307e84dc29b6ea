import type { Argument, Command, Option } from "commander";
import { createAppctl } from "../../apps/cli/src/program.ts";

/** Generates `docs/reference/commands.md`: every command of appctl with its arguments and options. */
export function generateCommandPage(): string {
  const { program } = createAppctl({});
  return `<!-- Generated from apps/cli/src by \`npm run generate\`. Do not edit. -->

# Commands

The command line [appctl](../../apps/cli/README.md). \`appctl COMMAND --help\` prints the same.

Every command takes these options, before or after its name:

${tableOf(program)}

Exit codes: 0 success, 1 refused or failed, 2 wrong usage, 3 the platform is unreachable, 4 permissions of an app wait for an approval, 5 the platform differs from a file, or a plan from the one that was reviewed.
${leavesOf(program)
  .map(([name, command]) => sectionOf(name, command))
  .join("")}`;
}

/** The commands without further ones below them, by their names. */
function leavesOf(command: Command, parents: readonly string[] = []): readonly (readonly [string, Command])[] {
  // Hidden commands are for scripts.
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((each) => each.name() !== "help")
    .flatMap((each) => {
      const path = [...parents, each.name()];
      return each.commands.length > 0 ? leavesOf(each, path) : [[path.join(" "), each] as const];
    });
}

function sectionOf(name: string, command: Command): string {
  const usage = ["appctl", name, ...command.registeredArguments.map(usageOf)].join(" ");
  const text = command.description();
  const table = command.registeredArguments.some(({ description }) => description) || command.options.length > 0;
  return `
## ${name}

\`${usage}\`: ${text}.
${table ? `\n${tableOf(command)}\n` : ""}`;
}

function usageOf(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

function tableOf({ registeredArguments, options }: Command): string {
  const rows = [
    ...registeredArguments.filter(({ description }) => description).map((each) => [`\`${usageOf(each)}\``, textOf(each)]),
    ...options.map((each) => [`\`${each.flags}\``, textOf(each)]),
  ];
  return ["| argument or option | meaning |", "| --- | --- |", ...rows.map((row) => `| ${row.join(" | ")} |`)].join("\n");
}

/** A description with the value that counts if none is given. */
function textOf({ description, defaultValue }: Pick<Option, "description" | "defaultValue">): string {
  const isShown =
    defaultValue !== undefined && defaultValue !== false && !(Array.isArray(defaultValue) && defaultValue.length === 0);
  return `${description}${isShown ? ` (default \`${String(defaultValue)}\`)` : ""}`.replaceAll("|", "\\|");
}
