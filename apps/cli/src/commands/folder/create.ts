import { existsSync, readdirSync } from "node:fs";
import { basename, relative, resolve } from "node:path";
import { ensureAppKeys } from "@appserver/sdk";
import type { GlobalOptions } from "../../global-options.ts";
import { print } from "../../output.ts";
import { copyTemplate, type Template, templates } from "../../templates.ts";
import { UsageError } from "../../usage-error.ts";
import { runProgram } from "./run-program.ts";

export interface CreateFlags {
  readonly name?: string;
  readonly template: string;
  readonly install: boolean;
}

/** How a developer installs what an app needs, and runs its test. */
interface AppCommands {
  /** Programs with their arguments. */
  readonly install: readonly (readonly [string, ...string[]])[];
  readonly test: string;
}

const nodeCommands: AppCommands = { install: [["npm", "install", "--no-audit", "--no-fund"]], test: "npm test" };
const pythonCommands: AppCommands = {
  install: [
    ["python3", "-m", "venv", ".venv"],
    [".venv/bin/python3", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", "requirements.txt"],
  ],
  test: ".venv/bin/python3 -m unittest",
};

const namePattern = /^[a-z0-9]+([._-][a-z0-9]+)*$/;

/** Makes a new app: a folder that runs as it is, with a test and with keys. */
export async function createApp(
  { http }: GlobalOptions,
  folder: string,
  { name, template, install, version }: CreateFlags & { readonly version: string },
): Promise<void> {
  const target = resolve(folder);
  if (!isTemplate(template))
    throw new UsageError(`--template must be one of ${Object.keys(templates).join(", ")}, got ${JSON.stringify(template)}`);
  if (existsSync(target) && readdirSync(target).length > 0) throw new UsageError(`${folder} exists and is not empty`);
  const word = basename(target)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
  const appName = name ?? `com.example.${word}`;
  if (!namePattern.test(appName) || appName.length > 63)
    throw new UsageError(`--name must be lower-case words with . _ or - between them, as com.example.todos, got "${appName}"`);
  await copyTemplate(template, target, { ...namesIn(appName), HTTP: new URL(http).origin, VERSION: version });
  await ensureAppKeys(target, appName);
  const commands = template === "python" ? pythonCommands : nodeCommands;
  const shown = relative(process.cwd(), target) || ".";
  const installing = commands.install.map((command) => command.join(" ")).join(" && ");
  try {
    if (install) for (const [program, ...args] of commands.install) await runProgram(target, program, args);
  } catch (cause) {
    const wayOut = `The app is made, without what it needs; to install it: cd ${shown} && ${installing}`;
    throw new Error(`${(cause as Error).message}. ${wayOut}`, { cause });
  }
  print(`${appName} is in ${shown}. Next:

  ${install ? "" : `(cd ${shown} && ${installing})\n  `}(cd ${shown} && ${commands.test})
  appctl dev ${shown}`);
}

/** Returns the name of the app in the forms in which the files of a template have it. */
function namesIn(appName: string): Readonly<Record<string, string>> {
  const last = appName.slice(appName.lastIndexOf(".") + 1);
  return {
    NAME: appName,
    TITLE: last.charAt(0).toUpperCase() + last.slice(1).replaceAll(/[-_]/g, " "),
    ROUTE: last,
    RESOURCE: last,
    ELEMENT: appName.replaceAll(/[._]/g, "-"),
    MODULE: appName.replaceAll(/[^a-z0-9]/g, "_"),
  };
}

function isTemplate(name: string): name is Template {
  return Object.hasOwn(templates, name);
}
