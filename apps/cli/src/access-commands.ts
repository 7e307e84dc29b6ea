import { subjectForm } from "@appserver/contracts/authorization";
import type { Command } from "commander";
import type { GlobalOptions } from "./global-options.ts";

interface InviteFlags {
  readonly name?: string;
  readonly role?: readonly string[];
  readonly valid?: number;
  readonly link?: boolean;
}

/** `appctl access …`: who may what, and why. */
export function addAccessCommands(program: Command, options: () => GlobalOptions): void {
  const access = program.command("access").description("who may do what, and why");
  const commands = () => import("./commands/access.ts");

  access
    .command("grants")
    .description("list what was given directly: roles, levels of apps and permissions")
    .action(async () => (await commands()).listGrants(options()));
  access
    .command("roles")
    .description("list the roles, and who has them")
    .action(async () => (await commands()).listRoles(options()));
  access
    .command("groups")
    .description("list the groups of the identity provider, and their members")
    .action(async () => (await commands()).listGroups(options()));
  access
    .command("invite")
    .description("make an account, and send the link that completes it, or print it where the platform sends no letters")
    .argument("<email>", "the address with which the person signs in")
    .option("--name <name>", "the name that others see; the person can change it")
    .option("--role <name...>", "a role of the account, as in --role readers; easy: administrators")
    .option("--valid <hours>", "how long the link is valid: 1 to 720, default 168, for administrators 1", Number)
    .option("--link", "print the link in place of a letter")
    .action(async (email: string, { name, role: roles, valid: validHours, link: withLink }: InviteFlags) =>
      (await commands()).inviteTo(options(), { email, name, roles, validHours, withLink }),
    );
  addPersonCommands(access, options);
  addRequestCommands(access, options);
  access
    .command("holders")
    .description("list who holds a permission, and why")
    .argument("<permission>", "as in app:install")
    .option("--app <name>", "of an app, instead of the platform")
    .action(async (permission: string, { app }: { app?: string }) =>
      (await commands()).listHolders(options(), permission, app),
    );
  access
    .command("held")
    .description("list what someone holds, and why")
    .argument("<subject>", subjectForm)
    .action(async (subject: string) => (await commands()).listHeld(options(), subject));
  access
    .command("members")
    .description("list the owners, editors and viewers of an app")
    .argument("<app>")
    .action(async (app: string) => (await commands()).listMembers(options(), app));
  access
    .command("people")
    .description("list people, or find them by their sign-in address, id or name")
    .argument("[search]")
    .action(async (search: string | undefined) => (await commands()).findPeople(options(), search));
  for (const [verb, description] of [
    ["grant", "give a role, a level of an app, or a permission"],
    ["revoke", "take a role, a level of an app, or a permission"],
  ] as const)
    access
      .command(verb)
      .description(description)
      .argument("<subject>", subjectForm)
      .argument(
        "<access>",
        "a permission: app:view of the platform, <app>/notes:read of an app; or assignee of a role; or owner, editor or viewer of an app",
      )
      .argument("[object]", "role:<name> or app:<name>; none for a permission")
      .option("--app <name>", "the app of the permission, as in notes:read --app com.example.notes")
      .action(async (user: string, access: string, object: string | undefined, { app }: { app?: string }) => {
        const { grantAccess, revokeAccess } = await commands();
        const { accessTuple } = await import("./commands/access-tuple.ts");
        await (verb === "grant" ? grantAccess : revokeAccess)(options(), accessTuple({ user, access, object, app }));
      });
}

/** The commands about the account of a person. */
function addPersonCommands(access: Command, options: () => GlobalOptions): void {
  const commands = () => import("./commands/people.ts");
  const person = "user:<id>; `appctl access people` finds it";
  access
    .command("person")
    .description("show the account of a person")
    .argument("<person>", person)
    .action(async (id: string) => (await commands()).showPerson(options(), id));
  access
    .command("disable")
    .description("disable an account, which ends all its sessions")
    .argument("<person>", person)
    .action(async (id: string) => (await commands()).setActive(options(), { id, isActive: false }));
  access
    .command("enable")
    .description("let a person sign in again")
    .argument("<person>", person)
    .action(async (id: string) => (await commands()).setActive(options(), { id, isActive: true }));
  access
    .command("remove")
    .description("delete an account and all that the person was given")
    .argument("<person>", person)
    .action(async (id: string) => (await commands()).removePerson(options(), id));
  access
    .command("export")
    .description("print what is stored of a person, as JSON")
    .argument("<person>", person)
    .action(async (id: string) => (await commands()).exportPerson(options(), id));
}

/** The commands about what people ask for. */
function addRequestCommands(access: Command, options: () => GlobalOptions): void {
  const commands = () => import("./commands/access-requests.ts");
  const request = "id of the request; `appctl access requests` lists it";
  access
    .command("ask")
    .description("ask administrators for access to an app, once a day for each")
    .argument("<app>")
    .argument("<access>", "viewer, editor or owner, or a permission of the app as in notes:read")
    .option("--reason <text>", "why, in one line")
    .action(async (appName: string, wanted: string, { reason }: { reason?: string }) =>
      (await commands()).askForAccess(options(), { appName, access: wanted, reason }),
    );
  access
    .command("requests")
    .description("list what people have asked for and wait for, newest first")
    .option("--own", "your own requests, also the decided ones")
    .action(async ({ own }: { own?: boolean }) => (await commands()).listRequests(options(), own ?? false));
  access
    .command("accept")
    .description("give what a person has asked for")
    .argument("<request>", request)
    .action(async (id: string) => (await commands()).decideRequest(options(), id, "GRANT"));
  access
    .command("decline")
    .description("decline what a person has asked for")
    .argument("<request>", request)
    .action(async (id: string) => (await commands()).decideRequest(options(), id, "DECLINE"));
}
