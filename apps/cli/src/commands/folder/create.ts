import { existsSync, readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { basename, join, relative, resolve } from "node:path";
import { schemaLine } from "@appserver/contracts/schemas";
import { ensureAppKeys } from "@appserver/sdk";
import type { GlobalOptions } from "../../global-options.ts";
import { print } from "../../output.ts";
import { copyTemplate, type Template, templates } from "../../templates.ts";
import { UsageError } from "../../usage-error.ts";
import { neededNode } from "./needed-node.ts";
import { runProgram } from "./run-program.ts";
import { loadSdk, storeSdk } from "./vendored-sdk.ts";

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

/** It needs nothing but the standard library. */
const goCommands: AppCommands = { install: [], test: "go test ./..." };

const namePattern = /^[a-z0-9]+([._-][a-z0-9]+)*$/;

/** Makes a new app: a folder that runs as it is, with a test and with keys. If that fails, it leaves nothing behind. */
export async function createApp(
  options: GlobalOptions,
  folder: string,
  { name, template, install }: CreateFlags,
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
  const sdk = template === "go" ? undefined : await loadSdk(options, template === "python" ? "python" : "node");
  const commands = template === "go" ? goCommands : template === "python" ? pythonCommands : nodeCommands;
  const shown = relative(process.cwd(), target) || ".";
  const installing = commands.install.map((command) => command.join(" ")).join(" && ");
  await orNothing(target, async () => {
    const values = { ...namesIn(appName), SDK: sdk?.file ?? "", SCHEMA: schemaLine(options.http, "app") };
    await copyTemplate(template, target, values);
    if (sdk) await storeSdk(target, sdk);
    await ensureAppKeys(target, appName);
    if (install) for (const [program, ...args] of commands.install) await runProgram(target, program, args);
  });
  const older = await neededNode(target);
  print(`${appName} is in ${shown}.${older === undefined ? "" : ` ${older}`} Next:

  ${install || installing === "" ? "" : `(cd ${shown} && ${installing})\n  `}(cd ${shown} && ${commands.test})
  appctl dev ${shown}`);
}

/** Makes a folder. If that fails or is interrupted, nothing of it stays. */
async function orNothing(target: string, make: () => Promise<void>): Promise<void> {
  const existed = existsSync(target);
  // The program that runs is interrupted as well, and fails.
  const interrupted = (): void => {};
  process.once("SIGINT", interrupted);
  try {
    await make();
  } catch (cause) {
    const made = existed ? readdirSync(target).map((name) => join(target, name)) : [target];
    for (const path of made) await rm(path, { recursive: true, force: true });
    throw new Error(`${(cause as Error).message}. Nothing was made. With --no-install, create installs nothing`, { cause });
  } finally {
    process.off("SIGINT", interrupted);
  }
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
  };
}

function isTemplate(name: string): name is Template {
  return Object.hasOwn(templates, name);
}
