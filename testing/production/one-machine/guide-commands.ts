import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { stepsOf } from "../guides/guide-steps.ts";

const page = readFileSync(resolve(import.meta.dirname, "../../../docs/guides/one-machine.md"), "utf8");

/** Returns the commands of a section of docs/guides/one-machine.md, one a line, with the names of this machine in place of those of the guide. */
export function guideCommands(section: string, names: Readonly<Record<string, string>>): readonly string[] {
  const commands = stepsOf(page).filter((step) => step.section === section);
  if (commands.length === 0) throw new Error(`the guide has no commands in ${JSON.stringify(section)}`);
  const text = commands.map((step) => step.commands.trim()).join("\n");
  return Object.entries(names)
    .reduce((result, [guide, here]) => result.replaceAll(guide, here), text)
    .split("\n");
}
