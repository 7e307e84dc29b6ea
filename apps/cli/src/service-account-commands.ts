import { tokenScopeForm } from "@appserver/contracts/authorization";
import type { Command } from "commander";
import type { CreateFlags, TokenFlags } from "./commands/service-accounts.ts";
import type { GlobalOptions } from "./global-options.ts";

/** `appctl service-accounts …`: accounts for programs, and their tokens. */
export function addServiceAccountCommands(program: Command, options: () => GlobalOptions): void {
  const accounts = program.command("service-accounts").description("accounts for pipelines and other programs");
  const commands = () => import("./commands/service-accounts.ts");

  accounts
    .command("list")
    .description("list the accounts and their tokens")
    .action(async () => (await commands()).listAccounts(options()));

  const create = accounts
    .command("create")
    .description("create an account, and print its first token, which is shown only once")
    .argument("<account>", "its name")
    .option("--role <role>", "give a role; repeatable", collect, [])
    .option("--app <app[=level]>", "make it owner, editor or viewer of an app, default viewer; repeatable", collect, [])
    .option("--permission <permission>", "give a permission: app:install, or <app>/notes:read; repeatable", collect, []);
  addTokenOptions(create).action(async (name: string, flags: CreateFlags) =>
    (await commands()).createAccount(options(), name, flags),
  );

  const token = accounts
    .command("token")
    .description("add a token to an account, and print it: it is shown only once")
    .argument("<account>");
  addTokenOptions(token).action(async (name: string, flags: TokenFlags) => (await commands()).addToken(options(), name, flags));

  accounts
    .command("revoke")
    .description("end a token")
    .argument("<account>")
    .argument("<token>", "its id")
    .action(async (name: string, tokenId: string) => (await commands()).revokeToken(options(), name, tokenId));

  accounts
    .command("delete")
    .description("delete an account with its tokens and all that it was given")
    .argument("<account>")
    .action(async (name: string) => (await commands()).deleteAccount(options(), name));
}

function addTokenOptions(command: Command): Command {
  return command
    .option("--expires <duration>", "end of the token: 12h, 90d or a time, at most 366 days from now", "90d")
    .option("--scope <scope>", `let the token do only this: ${tokenScopeForm}; repeatable`, collect, []);
}

function collect(value: string, previous: readonly string[]): readonly string[] {
  return [...previous, value];
}
