import { existsSync, readdirSync } from "node:fs";
import { basename, relative, resolve } from "node:path";
import { ensureAppKeys } from "@appserver/sdk";
import type { GlobalOptions } from "../../global-options.ts";
import { print } from "../../output.ts";
import { copyTemplate, type Template, templates } from "../../templates.ts";
import { UsageError } from "../../usage-error.ts";
import { runNpm } from "./run-npm.ts";

export interface CreateFlags {
  readonly name?: string;
  readonly template: string;
  readonly install: boolean;
}

const namePattern = /^[a-z0-9]+([._-][a-z0-9]+)*$/;

/** Makes a new app: a folder that runs as it is, with a test and with keys. */
export async function createApp(
  { http }: GlobalOptions,
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
  const last = appName.slice(appName.lastIndexOf(".") + 1);
  await copyTemplate(template, target, {
    NAME: appName,
    TITLE: last.charAt(0).toUpperCase() + last.slice(1).replaceAll(/[-_]/g, " "),
    ROUTE: last,
    RESOURCE: last,
    ELEMENT: appName.replaceAll(/[._]/g, "-"),
    MODULE: appName.replaceAll(/[^a-z0-9]/g, "_"),
    HTTP: new URL(http).origin,
  });
  await ensureAppKeys(target, appName);
  if (install) await runNpm(target, ["install", "--no-audit", "--no-fund"]);
  const shown = relative(process.cwd(), target) || ".";
  print(`${appName} is in ${shown}. Next:

  ${install ? "" : `(cd ${shown} && npm install)\n  `}(cd ${shown} && npm test)
  appctl dev ${shown}`);
}

function isTemplate(name: string): name is Template {
  return Object.hasOwn(templates, name);
}
