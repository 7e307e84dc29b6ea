import { posix } from "node:path";
import { quote } from "@appserver/contracts/patterns";
import type { AppManifest, Asset } from "@appserver/contracts/proto/appserver/v2/manifest";
import { type UI, UIMode } from "@appserver/contracts/proto/appserver/v2/ui";
import type { Violations } from "./violations.ts";

const scripts = ["application/javascript", "text/javascript"];
const field = "web_app.ui.entry_asset_name";

/** Allowed types of an entry asset, by mode. */
const entryTypes: Readonly<Record<number, readonly string[]>> = {
  [UIMode.UI_MODE_FEDERATION]: [...scripts, "application/json"],
  [UIMode.UI_MODE_WEB_COMPONENT]: [...scripts, "text/html"],
  [UIMode.UI_MODE_ESM_COMPONENT]: [...scripts, "text/html"],
};

const asModule =
  'build the remote as an ES module: in webpack and Rspack with library: { type: "module" } in ModuleFederationPlugin, and experiments: { outputModule: true }';

/** Without any of these, a text is no ES module that exports something. With one, it may be. */
const anExport = /\bexport\s*[{*]|\bexport\s+(?:default|const|let|var|function|class|async)\b/;

/** Returns whether an asset of this type is a script. */
export function isScript(mimeType: string): boolean {
  return scripts.includes(mimeType.split(";", 1)[0]?.trim().toLowerCase() ?? "");
}

/** Returns whether the mode is one of those of the contract. */
export function isMode(mode: UIMode): boolean {
  return entryTypes[mode] !== undefined;
}

/** Checks the entry (docs/interface/manifest.md#ui), and warns if the console could not show it. */
export function checkEntry(manifest: AppManifest, ui: UI, violations: Violations): void {
  const entry = manifest.webApp?.assets.find((asset) => asset.name === ui.entryAssetName);
  if (!violations.check(entry !== undefined, field, `must name an asset of web_app.assets, got ${quote(ui.entryAssetName)}`))
    return;
  const accepted = entryTypes[ui.mode];
  if (!entry || !accepted) return;
  const has = `has type ${quote(entry.mimeType)}, the mode needs one of ${accepted.join(", ")}`;
  if (!violations.check(accepted.includes(entry.mimeType), field, has) || ui.ssr) return;
  const problem = problemOf(manifest, ui, entry);
  if (problem !== undefined) violations.warn(field, problem);
}

/** Returns why the console could not show the entry. */
function problemOf(manifest: AppManifest, { mode }: UI, entry: Asset): string | undefined {
  const name = quote(entry.name);
  if (entry.mimeType === "text/html")
    return `${name} is HTML, which the console shows for no app that does not render its pages (ssr): name a script`;
  if (entry.mimeType === "application/json") return manifestProblem(manifest, entry);
  if (mode === UIMode.UI_MODE_WEB_COMPONENT || anExport.test(textOf(entry))) return undefined;
  if (mode === UIMode.UI_MODE_FEDERATION) return `${name} is not an ES module, so the console cannot show it: ${asModule}`;
  return `${name} exports nothing, and its mode needs a function "mount"`;
}

/** A larger text would take long to parse, and no plugin writes one. */
const maxManifestBytes = 1_048_576;

/** Checks what the plugins of Module Federation write next to the remote. */
function manifestProblem({ webApp }: AppManifest, entry: Asset): string | undefined {
  const { name, path = "", type } = entry.contents.length > maxManifestBytes ? {} : remoteEntryOf(textOf(entry));
  const remote = posix.join(posix.dirname(entry.name), String(path), String(name ?? ""));
  const script = webApp?.assets.find((asset) => asset.name === remote && isScript(asset.mimeType));
  if (typeof name !== "string" || !script)
    return `${quote(entry.name)} must name a script of the app in metaData.remoteEntry, so that the console can show it`;
  if (type !== "module" && type !== "esm")
    return `${quote(remote)} is not an ES module, so the console cannot show it: ${asModule}`;
  return undefined;
}

function remoteEntryOf(text: string): { readonly name?: unknown; readonly path?: unknown; readonly type?: unknown } {
  try {
    return (JSON.parse(text) as { readonly metaData?: { readonly remoteEntry?: object } } | null)?.metaData?.remoteEntry ?? {};
  } catch {
    return {};
  }
}

function textOf({ contents }: Asset): string {
  return new TextDecoder().decode(contents);
}
