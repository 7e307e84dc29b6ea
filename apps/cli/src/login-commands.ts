import type { Command } from "commander";
import type { LoginFlags } from "./commands/login/login.ts";
import { Contexts } from "./contexts.ts";
import { type Environment, type GlobalFlags, type GlobalOptions, globalOptions } from "./global-options.ts";

/** Registers the commands that store platforms and sessions, `mcp` and `open`. */
export function addLoginCommands(program: Command, options: () => GlobalOptions, environment: Environment): void {
  program
    .command("login")
    .description("sign in to a platform in the browser, and use it from now on")
    .argument("[url]", "address of the platform; default: --http, or the context in use")
    .option("--name <context>", "name of the context; default: the host of the platform")
    .option("--with-token", "read the session token of a user from standard input instead")
    .option("--device", "show a code to type in a browser on another device: for a machine without a browser")
    .option("--no-browser", "print the address instead of opening it")
    .option("--yes", "do not ask whether the session is that of the right user")
    .action(async (url: string | undefined, flags: LoginFlags) => {
      const { flagsFor, logIn } = await import("./commands/login/login.ts");
      const given = program.opts<GlobalFlags>();
      const platform = url === undefined ? options() : globalOptions(flagsFor(url, given), environment);
      await logIn(platform, new Contexts(environment), flags);
    });

  program
    .command("logout")
    .description("end the session of the context in use, also in the browser that gave it, and forget its token")
    .option("--forget", "only forget the token", false)
    .action(async (flags: { readonly forget: boolean }) => {
      const { logOut } = await import("./commands/login/contexts.ts");
      await logOut(new Contexts(environment), flags);
    });

  program
    .command("whoami")
    .description("show who the platform takes you for, and your permissions")
    .action(async () => {
      const { showViewer } = await import("./commands/login/whoami.ts");
      await showViewer(options());
    });

  program
    .command("mcp")
    .description("connect a language model to the platform: the Model Context Protocol on standard input and output")
    .action(async () => {
      const { bridgeMcp } = await import("./commands/mcp.ts");
      await bridgeMcp(options());
    });

  const context = program.command("context").description("the platforms that `login` has stored");
  context
    .command("list")
    .description("list them; * is the one in use")
    .action(async () => {
      const { listContexts } = await import("./commands/login/contexts.ts");
      listContexts(options().json, new Contexts(environment));
    });
  context
    .command("use")
    .description("use one of them from now on")
    .argument("<context>")
    .action((name: string) => new Contexts(environment).use(name));
  context
    .command("remove")
    .description("forget one of them with its token")
    .argument("<context>")
    .action((name: string) => new Contexts(environment).remove(name));

  program
    .command("open")
    .description("open the console, or the page of an app, in the browser")
    .argument("[app]")
    .option("--no-browser", "print the address instead of opening it")
    .action(async (name: string | undefined, flags: { readonly browser: boolean }) => {
      const { openPage } = await import("./commands/login/open.ts");
      await openPage(options(), name, flags);
    });
}
