import { type Command, InvalidArgumentError } from "commander";
import type { GlobalOptions } from "./global-options.ts";

interface SecretFlags {
  readonly showSecrets: boolean;
}

/** `appctl settings …` */
export function addSettingsCommands(program: Command, options: () => GlobalOptions): void {
  const commands = () => import("./commands/settings.ts");
  const settings = program.command("settings").description("settings of an app");

  settings
    .command("list")
    .description("show every setting, its value and its type")
    .argument("<app>")
    .option("--show-secrets", "print the values of secrets, too", false)
    .action(async (app: string, flags: SecretFlags) => (await commands()).listSettings(options(), app, flags.showSecrets));

  settings
    .command("get")
    .description("print one value")
    .argument("<app>")
    .argument("<key>")
    .option("--show-secrets", "print the value of a secret", false)
    .action(async (app: string, key: string, flags: SecretFlags) =>
      (await commands()).getSetting(options(), app, key, flags.showSecrets),
    );

  settings
    .command("set")
    .description("change the given values. key=@file reads the value from a file, key=- from stdin")
    .argument("<app>")
    .argument("<key=value...>")
    .option("--if-version <number>", "fail if the settings have changed since this version", wholeNumber)
    .action(async (app: string, assignments: string[], flags: { ifVersion?: number }) =>
      (await commands()).setSettings(options(), app, assignments, flags.ifVersion),
    );

  settings
    .command("unset")
    .description("restore the defaults of some settings")
    .argument("<app>")
    .argument("<key...>")
    .option("--if-version <number>", "fail if the settings have changed since this version", wholeNumber)
    .action(async (app: string, keys: string[], flags: { ifVersion?: number }) =>
      (await commands()).unsetSettings(options(), app, keys, flags.ifVersion),
    );

  settings
    .command("delete")
    .description("delete all stored values and restore the defaults")
    .argument("<app>")
    .option("--if-version <number>", "fail if the settings have changed since this version", wholeNumber)
    .action(async (app: string, flags: { ifVersion?: number }) =>
      (await commands()).deleteSettings(options(), app, flags.ifVersion),
    );
}

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError("Expected a whole number.");
  return Number(text);
}
