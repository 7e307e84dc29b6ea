import { appendFile, cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { type AppKeys, ensureAppKeys, loadManifest, type SignedManifest } from "@appserver/sdk";
import { testApp } from "@appserver/testing/kit";
import { folderOf, type ObservedPage, type SampleApp, sha256 } from "./faulty-platform.ts";

const entry = "remoteEntry.js";

/** An app in several versions, with a page that is different in each. */
export interface ReleasedApp {
  readonly name: string;
  readonly needsProcess: boolean;
  /** The versions, oldest first. */
  readonly releases: readonly SignedManifest[];
  /** Undefined if it has none. */
  readonly page?: ObservedPage;
  /** The token that its registration needs. */
  readonly token?: string;
}

/** Returns a sample app as it is, with 1.0.0, and the same with another version and another page. */
export async function sampleReleases(name: SampleApp, next: string): Promise<ReleasedApp & { readonly page: ObservedPage }> {
  const keys = await ensureAppKeys(folderOf(name), name);
  const folder = await mkdtemp(join(tmpdir(), "released-app-"));
  try {
    await cp(folderOf(name), folder, { recursive: true, filter: (path) => basename(path) !== "node_modules" });
    const manifest = await readFile(join(folder, "app.yaml"), "utf8");
    await writeFile(join(folder, "app.yaml"), manifest.replace(/^version: .*$/m, `version: ${next}`));
    await appendFile(join(folder, "dist", entry), `\n// ${next}\n`);
    const releases = [await loadManifest(folderOf(name), keys), await loadManifest(folder, keys)];
    return { name, needsProcess: true, releases, page: pageOf(name, releases) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Returns an app that has only pages. */
export async function pageReleases(
  name: string,
  versions: readonly string[],
): Promise<ReleasedApp & { readonly page: ObservedPage }> {
  const releases: SignedManifest[] = [];
  let keys: AppKeys | undefined;
  for (const version of versions) {
    const ui = { mode: "FEDERATION", entry_asset_name: entry, exposed_module: "./Page", route_base: `/${name}` };
    const webApp = { assets: [entry], ui };
    const app = await testApp({ name, version, web_app: webApp }, { [entry]: `export const version = "${version}";` }, keys);
    keys = app.keys;
    releases.push(app);
  }
  return { name, needsProcess: false, releases, page: pageOf(name, releases) };
}

function pageOf(name: string, releases: readonly SignedManifest[]): ObservedPage {
  const versions = releases.map(({ manifest }): [string, string] => {
    const asset = manifest.webApp?.assets.find((each) => each.name === entry);
    if (!asset) throw new Error(`${name} ${manifest.version} has no ${entry}`);
    return [sha256(asset.contents), manifest.version];
  });
  return { path: `/apps/${name}/assets/${entry}`, versions: new Map(versions) };
}
