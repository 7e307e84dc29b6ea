import type { Command } from "commander";
import type { GlobalOptions } from "./global-options.ts";

interface RegistrationFlags {
  readonly registrationToken?: string;
  readonly imageDigest?: string;
}

/**
 * Registers the commands for the app of a folder. `tokenVariable` is the value of APPSERVER_REGISTRATION_TOKEN. It is not a default
 * of the flag: help would print it.
 */
export function addRegistrationCommands(
  program: Command,
  options: () => GlobalOptions,
  tokenVariable: string | undefined,
): void {
  const tokenOf = ({ registrationToken = tokenVariable }: RegistrationFlags) => registrationToken || undefined;

  program
    .command("register")
    .description("sign and register the app of a folder with an app.yaml")
    .argument("<folder>")
    .option(
      "--registration-token <token>",
      "registration token, if the platform requires one (ps shows it: prefer APPSERVER_REGISTRATION_TOKEN)",
    )
    .option(
      "--image-digest <digest>",
      "digest that the push of the app's image reported, as sha256:…; replaces that of app.yaml",
    )
    .action(async (folder: string, flags: RegistrationFlags) => {
      const { registerFolder } = await import("./commands/register.ts");
      await registerFolder(options(), folder, { registrationToken: tokenOf(flags), imageDigest: flags.imageDigest });
    });

  program
    .command("validate")
    .description("check the app of a folder against every rule of the platform; changes nothing")
    .argument("<folder>")
    .option(
      "--registration-token <token>",
      "registration token, if the platform requires one; replaces a session (ps shows it: prefer APPSERVER_REGISTRATION_TOKEN)",
    )
    .action(async (folder: string, flags: RegistrationFlags) => {
      const { validateFolder } = await import("./commands/validate.ts");
      await validateFolder(options(), folder, tokenOf(flags));
    });
}
