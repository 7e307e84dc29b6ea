import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Command,
  certificateFile,
  folderBackend,
  keyFile,
  loadManifest,
  ManifestError,
  manifestFile,
  readAppKeys,
  type SignedManifest,
} from "@appserver/sdk";
import { ask } from "../../client.ts";
import { failureText } from "../../failure.ts";
import { DescribedAppDocument } from "../../generated/operations.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { connect } from "../../platform.ts";
import { type Finding, fine, problem } from "./finding.ts";

/** Looks at the app of a folder: its keys, its manifest, its files, and how it is on the platform if that responds. */
export async function lookAtFolder(options: GlobalOptions, folder: string, responds: boolean): Promise<readonly Finding[]> {
  const files = filesOf(folder);
  const signed = await signedOf(folder);
  if (!("manifest" in signed)) return [...signed, ...files];
  const { name, version } = signed.manifest;
  const own = [fine(`${manifestFile} describes ${name} ${version}`), ...files];
  return responds ? [...own, ...(await rulesOf(options, signed)), await stateOf(options, name)] : own;
}

async function signedOf(folder: string): Promise<SignedManifest | readonly Finding[]> {
  const [key, certificate] = [keyFile, certificateFile].map((file) => existsSync(join(folder, file)));
  if (!key)
    return [
      certificate
        ? problem(
            `${join(folder, keyFile)} is lost`,
            `restore it from a backup. Without one: delete ${certificateFile}, run \`appctl keys generate ${folder} --name APP\`, and have an administrator run \`appctl replace-key APP ${join(folder, certificateFile)}\``,
          )
        : problem(`${folder} has no keys`, `run \`appctl keys generate ${folder} --name APP\``),
    ];
  try {
    return await loadManifest(folder, await readAppKeys(folder));
  } catch (error) {
    if (error instanceof ManifestError)
      return error.problems.map((each) => problem(each, "correct it there; docs/interface/manifest.md has the rules"));
    return [problem(error instanceof Error ? error.message : String(error), "restore the two files from a backup")];
  }
}

function filesOf(folder: string): readonly Finding[] {
  const file = join(folder, "package.json");
  const found = folderBackend(folder);
  if (found.language === "any") return commandOf(folder, found.command);
  if (found.language === "python" || !existsSync(file))
    return pythonFilesOf(folder, found.language === "python" ? found.module : undefined);
  const { main } = found;
  const { dependencies = {} } = JSON.parse(readFileSync(file, "utf8")) as { readonly dependencies?: object };
  const backend = existsSync(join(folder, main))
    ? fine(`the backend is ${main}`)
    : problem(`the backend ${join(folder, main)} is missing`, `write it, or name another file as \`main\` in ${file}`);
  const needsInstall = Object.keys(dependencies).some((each) => !existsSync(join(folder, "node_modules", each)));
  return needsInstall
    ? [backend, problem(`what ${file} depends on is not installed`, `run \`npm install\` in ${folder}`)]
    : [backend];
}

/** A program in the folder may have to be built. */
function commandOf(folder: string, command: Command): readonly Finding[] {
  const [program] = command;
  if (!program.startsWith("./") || existsSync(join(folder, program)))
    return [fine(`the backend is started by ${command.join(" ")}`)];
  return [problem(`${join(folder, program)} is missing`, `name the command that makes it as \`build\` in ${manifestFile}`)];
}

/** Nothing for a folder without a backend in Python. */
function pythonFilesOf(folder: string, backend: string | undefined): readonly Finding[] {
  const requirements = join(folder, "requirements.txt");
  if (backend === undefined && !existsSync(requirements)) return [];
  const present =
    backend === undefined
      ? problem(`${folder} has no package with a __main__.py`, "write one: the platform runs it with `python3 -m`")
      : fine(`the backend is ${backend}/__main__.py`);
  if (!existsSync(requirements) || existsSync(join(folder, ".venv"))) return [present];
  const wayOut = `run \`python3 -m venv .venv && .venv/bin/python3 -m pip install -r requirements.txt\` in ${folder}`;
  return [present, problem(`what ${requirements} lists is not installed`, wayOut)];
}

async function rulesOf(options: GlobalOptions, { manifest, signature }: SignedManifest): Promise<readonly Finding[]> {
  try {
    const { violations } = await connect(options).marketplace.validateManifest({ manifest, manifestSignature: signature });
    if (violations.length === 0) return [fine("the platform accepts the manifest")];
    return violations.map(({ field, message }) => problem(`${field}: ${message}`, `correct it in ${manifestFile}`));
  } catch (error) {
    return [problem(failureText(error, options), "`appctl validate` shows more")];
  }
}

async function stateOf(options: GlobalOptions, name: string): Promise<Finding> {
  try {
    const { app } = await ask(options, DescribedAppDocument, { name });
    if (!app) return problem(`${name} is not registered`, "run `appctl deploy` or `appctl dev`");
    const { state, enabled, lastError, deployment } = app;
    const reason = lastError?.message ?? deployment?.lastError?.message;
    if (!enabled) return problem(`${name} is disabled`, `run \`appctl enable ${name}\``);
    if (state === "RUNNING" || state === "INSTALLED") return fine(`${name} is ${state}`);
    const text = reason === undefined ? `${name} is ${state}` : `${name} is ${state}: ${reason}`;
    return problem(text, `\`appctl describe ${name}\` and \`appctl logs ${name}\` say more; \`appctl deploy\` tries again`);
  } catch (error) {
    return problem(failureText(error, options), `\`appctl get ${name}\` shows more`);
  }
}
