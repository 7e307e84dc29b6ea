import type { Family } from "@appserver/driver";
import type { Option, Sections } from "@appserver/options";
import { devSchema } from "./config/dev-schema.ts";
import { builtInDrivers } from "./config/drivers/built-in-drivers.ts";
import { type DriverSchema, defaultDrivers } from "./config/drivers/driver-catalogue.ts";
import { orchestrateSchema } from "./config/orchestrate-schema.ts";
import { serveSchema } from "./config/serve-schema.ts";
import { upSchema } from "./config/up-schema.ts";
import { platformVersion } from "./version.ts";

const commands: Readonly<Record<string, string>> = {
  dev: "the whole platform on embedded drivers, with sample apps, on 127.0.0.1",
  up: "the whole platform of a team, on one machine, in one process",
  serve: "the application server on production drivers",
  orchestrate: "the orchestrator: events in, containers out",
  "engine-guard": "lets an orchestrator without rights of root reach the container engine",
  migrate: "apply new database migrations; serve also does so when it starts",
  authz: "permissions: create the store, add an administrator, write and check tuples",
  database: "move the platform to another PostgreSQL server",
  accounts: "invite, disable, export and remove people, if the platform has the accounts itself",
  backup: "make an encrypted backup of the platform, which may be running",
  restore: "make a data folder from a backup, or check one",
  settings: "rotate the key that encrypts secret settings",
  config: "print or check the configuration of a process",
  version: "print the version",
};

const sources = `Options are read from flags, the environment, the YAML file of -c, and defaults, in this order.
docs/reference/options.md lists every option.
`;

/** `appserver --help` */
export const usage = `Usage: appserver <command> [options]

Commands:
${rows(Object.entries(commands))}

Options:
  -h, --help     help for a command: appserver serve --help
  -V, --version  print the version (${platformVersion})
  -c <file>      YAML file of options

${sources}`;

const authzUsage = `Usage: appserver authz <command>

Commands:
  bootstrap                          create the store, its model and the first tuples; safe to repeat
  repair                             write the permissions of installed apps that the store lacks, for example after
                                     a restore; safe to repeat
  move --to <driver>                 copy all permissions to another authorization driver, whose options are in this
                                     configuration, too: openfga or embedded; safe to repeat
  admin <identity>                   make a user an administrator: an id of the identity provider, or an
                                     e-mail address; Kratos looks it up over APPSERVER_KRATOS_ADMIN_URL
  groups preview <identity>          show what identity.groups of this configuration would change for a person:
                                     + begins, - ends
  grant <user> <relation> <object>   write a tuple:  authz grant user:<identity> viewer app:com.example.notes
  revoke <user> <relation> <object>  remove a tuple
  check <user> <relation> <object>   check a permission: exit code 0 if granted, else 1
`;

const databaseUsage = `Usage: appserver database move --to <url>
       appserver database move --undo

  --to    copies the database of this configuration to an empty one of PostgreSQL 15 or newer, compares both, and makes
          the copy the platform's database. First stop every server and orchestrator. Safe to repeat; a killed move
          leaves the former database as it was, or is finished by a second one. The databases of apps are not moved.
          postgres://<user>@<host>:<port>/<database>, with sslmode, sslrootcert, sslcert and sslkey as in libpq; the
          password is in PGPASSWORD or in the URL
  --undo  uses the database of this configuration again, from which the platform was moved. What was written to the
          other one since then is lost; a move back with --to keeps it
`;

const accountsUsage = `Usage: appserver accounts <command>

For identity.driver accounts. <identity> is the address or the id of a person.

Commands:
  invite [--admin] [--email <address>] [--name <name>]
                      make an account and print the link with which the person completes it. The link works once
  disable <identity>  end all sessions of a person, who cannot sign in from then on
  enable <identity>   let a disabled person sign in again
  export <identity>   print what is stored of a person, as JSON, without secrets
  remove <identity>   delete an account with all that the person was given; the audit log keeps the id

  --admin  an administrator, who must use the link within an hour; otherwise within a week
  --email  the address with which the person signs in; without it the person chooses one
  --name   the name that others see; the person can change it
`;

const guardUsage = `Usage: appserver engine-guard <instance> <socket> [engine socket]

Runs between an orchestrator and its container engine, as a user who may reach the engine. It makes <socket>, to which its
group may connect, and passes on only what the orchestrator of <instance> (server.instance) needs. The engine socket is
/var/run/docker.sock by default. The orchestrator uses it with APPSERVER_DOCKER_SOCKET_PATH=<socket>.
`;

const upUsage = `
  --show       print what runs, where, with which versions
  --databases  start only the databases of the data folder, for commands of operators while the platform is stopped
`;

const backupUsage = `Usage: appserver backup [--data <folder>] [--to <target>] [key]
       appserver backup --app <name> [--data <folder>] [--to <target>] [key]
       appserver backup list [--data <folder>] [--to <target>]

  Makes one encrypted file of the platform: its databases, those of apps, their storage, keys and images. The platform may be running.
  With --app, of the data of this app: its database and its storage, of one moment. The platform must run, and pg_dump and
  pg_restore be installed. The list is that of the platform's last 50 backups; with --to, of the files at that place.

  --data <folder>           of appserver up; without it, the platform of the orchestrator's configuration
  --to <target>             a file, or a folder or s3://<bucket>/<prefix> that gets a file named by the time. Default:
                            APPSERVER_BACKUP_TO
  --passphrase-file <file>  encrypts with the passphrase in a file. Default: APPSERVER_BACKUP_PASSPHRASE_FILE
  --recipient <age1…>       encrypts for a recipient of age, in place of a passphrase; may be repeated
  --without-images          leaves out the images of the platform's own registry
`;

const restoreUsage = `Usage: appserver restore <file> --data <folder> <key>
       appserver restore <file> --app <name> [--data <folder>] <key>
       appserver restore <file> [--app <name>] --dry-run <key>
       appserver restore <file> --test [--data <folder>] <key>

  Makes a data folder from a backup, a file or s3://<bucket>/<prefix>/<name>.age, and the storage of apps. Reads the whole backup
  before anything is changed. An interrupted restore is begun again by the same command. With --app, gives an installed app the data of its file. The platform must run. What the app had
  before is kept as a snapshot.

  --data <folder>           an empty folder, or one that does not exist; with --app, that of appserver up
  --passphrase-file <file>  the passphrase of the backup
  --identity-file <file>    identities of age, as age-keygen writes them
  --dry-run                 lists what is in the backup and verifies it, and changes nothing
  --test                    restores a backup of appserver up into a temporary folder (TMPDIR), starts its databases, reads every table and
                            every secret, and removes it. The platform, with --data that of appserver up, records the test
`;

const settingsUsage = `Usage: appserver settings rotate-key [dev]

  Encrypts every secret setting with the newest key. Servers can keep running. Safe to repeat.

  First add the new key to APPSERVER_SETTINGS_ENCRYPTION_KEYS of every server, after the old key. Once all servers
  have it, move it before the old key. Then run this command with the same configuration. Remove the old key when
  the command reports no unreadable settings.

  dev: creates a new key in the data folder (APPSERVER_DATA_DIR). A running platform loads it.
  --data <folder>: the same for a platform of appserver up
`;

const configUsage = `Usage: appserver config print|check|options [serve|orchestrate|up|dev] [-c <file>] [flags of that process]

  print    every option, its value (secrets masked) and the source of the value
  check    whether the process would start; reports all problems at once
  options  the reference of all options, with those of configured drivers outside of the platform
`;

/** `appserver <command> --help`. Undefined for a command that does not exist. */
export function usageOf(command: string): string | undefined {
  switch (command) {
    case "dev":
      return processUsage(command, devSchema);
    case "up":
      return `${processUsage(command, upSchema)}${upUsage}`;
    case "serve":
      return processUsage(command, serveSchema);
    case "orchestrate":
      return processUsage(command, orchestrateSchema);
    case "authz":
      return authzUsage;
    case "accounts":
      return accountsUsage;
    case "database":
      return databaseUsage;
    case "engine-guard":
      return guardUsage;
    case "settings":
      return settingsUsage;
    case "backup":
      return backupUsage;
    case "restore":
      return restoreUsage;
    case "config":
      return configUsage;
    case "migrate":
    case "version":
      return `Usage: appserver ${command}\n\n  ${commands[command] ?? ""}\n`;
    default:
      return undefined;
  }
}

function processUsage(command: string, schema: DriverSchema<Sections, Family>): string {
  const options: readonly Option[] = Object.values(schema.sections).flatMap((section) => Object.values(section.options));
  const flags = options.flatMap(({ flag, env, doc, default: value }): (readonly [string, string])[] => {
    if (flag === undefined) return [];
    const given = [value && `default ${value}`, env].filter(Boolean).join("; ");
    // The reference has the rest.
    const [about = ""] = doc.split(". ");
    return [[`--${flag}`, given === "" ? about : `${about} (${given})`]];
  });
  const ofDrivers = defaultDrivers(schema, builtInDrivers).flatMap(({ options: own }) =>
    Object.values<Option>(own?.options ?? {}),
  );
  const required = [...options, ...ofDrivers].flatMap(({ env, required }) => (required && env !== undefined ? [env] : []));
  const needs = required.length === 0 ? "" : `\nRequired: ${required.join(", ")}\n`;
  return `Usage: appserver ${command} [options]

  ${commands[command] ?? ""}

Flags:
${rows([...flags, ["-c <file>", "YAML file of options"]])}
${needs}
${sources}`;
}

function rows(entries: readonly (readonly [string, string])[]): string {
  const width = Math.max(...entries.map(([name]) => name.length)) + 2;
  return entries.map(([name, text]) => `  ${name.padEnd(width)}${text}`).join("\n");
}
