import type { Command } from "commander";
import type { ClaimFlags, RepositoryFlags } from "./commands/trust/trust.ts";
import type { GlobalOptions } from "./global-options.ts";

/** `appctl trust …`: pipelines whose own tokens are exchanged for those of service accounts. */
export function addTrustCommands(program: Command, options: () => GlobalOptions): void {
  const trust = program.command("trust").description("pipelines that deploy without a stored token");
  const commands = () => import("./commands/trust/trust.ts");

  const add = trust.command("add").description("trust a pipeline: its token becomes one of a service account, for some apps");
  for (const provider of ["github", "gitlab"] as const) {
    const name = provider === "github" ? "GitHub Actions" : "GitLab CI";
    const command = add
      .command(provider)
      .description(`trust a repository of ${name}`)
      .requiredOption("--repository <path>", "repository, as acme/notes")
      .requiredOption("--ref <ref>", "refs/heads/main, refs/tags/v1.0 or refs/tags/v*")
      .option("--repository-id <id>", "its number; default: read from the public API of the provider")
      .option("--environment <name>", "environment of the job; without it, the job has none")
      .option("--issuer <url>", "of an installation of your own");
    addTrustOptions(command).action(async (flags: RepositoryFlags) =>
      (await commands()).trustRepository(options(), provider, flags),
    );
  }
  const oidc = add
    .command("oidc")
    .description("trust a pipeline of any OpenID issuer by the claims of its tokens")
    .requiredOption("--issuer <url>", "iss of the tokens")
    .requiredOption(
      "--claim <name=value>",
      "a claim that the token must have, among them sub or the repository; repeatable",
      collect,
      [],
    );
  addTrustOptions(oidc).action(async (flags: ClaimFlags) => (await commands()).trustClaims(options(), flags));

  trust
    .command("list")
    .description("list the trusted pipelines")
    .action(async () => (await commands()).listTrusted(options()));
  trust
    .command("remove")
    .description("end the trust in a pipeline, and its tokens")
    .argument("<id>")
    .action(async (id: string) => (await commands()).removeTrust(options(), id));
  trust
    .command("exchange")
    .description("in a job: exchange its id token, once, and print the token for other commands (APPSERVER_TOKEN)")
    .action(async () => (await commands()).printExchanged(options()));
}

function addTrustOptions(command: Command): Command {
  return command
    .requiredOption("--account <name>", "service account that the pipeline acts as")
    .requiredOption("--app <app>", "app on which it acts; repeatable", collect, [])
    .option("--audience <text>", "aud of the tokens; default: the public address of the platform");
}

function collect(value: string, previous: readonly string[]): readonly string[] {
  return [...previous, value];
}
