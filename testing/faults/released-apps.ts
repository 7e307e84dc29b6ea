import { ensureAppKeys, loadManifest, type SignedManifest } from "@appserver/sdk";
import { testApp } from "@appserver/testing/kit";
import { folderOf, type ObservedPage, sampleApps } from "./faulty-platform.ts";
import { Releases } from "./switches/releases.ts";

/** The two versions of each app. */
export const [first, next] = ["1.0.0", "1.1.0"] as const;
const entry = "remoteEntry.js";

/** An app in two versions. */
export interface ReleasedApp {
  readonly name: string;
  readonly needsProcess: boolean;
  readonly releases: readonly SignedManifest[];
  /** The token that its registration needs. */
  readonly token?: string;
}

/** A {@link ReleasedApp} with a page that is different in each version. */
export interface ReleasedPage extends ReleasedApp {
  readonly page: ObservedPage;
}

/** Returns the notes app as it is, and the same with another version and another page. */
export async function notesReleases(): Promise<ReleasedPage> {
  const [name] = sampleApps;
  const written = await Releases.create();
  try {
    const own = await loadManifest(folderOf(name), await ensureAppKeys(folderOf(name), name));
    return withPage({ name, needsProcess: true, releases: [own, (await written.notes(next)).app] });
  } finally {
    await written.remove();
  }
}

/** Returns an app that has only pages. */
export async function pageReleases(name: string): Promise<ReleasedPage> {
  const ui = { mode: "FEDERATION", entry_asset_name: entry, exposed_module: "./Page", route_base: `/${name}` };
  const fields = { name, web_app: { assets: [entry], ui } };
  const files = (version: string) => ({ [entry]: `export const version = "${version}";` });
  const old = await testApp({ ...fields, version: first }, files(first));
  const other = await testApp({ ...fields, version: next }, files(next), old.keys);
  return withPage({ name, needsProcess: false, releases: [old, other] });
}

function withPage(app: ReleasedApp): ReleasedPage {
  const versions = app.releases.map(({ manifest }): [string, string] => {
    const asset = manifest.webApp?.assets.find((each) => each.name === entry);
    if (!asset) throw new Error(`${app.name} ${manifest.version} has no ${entry}`);
    return [Buffer.from(asset.contents).toString("utf8"), manifest.version];
  });
  return { ...app, page: { path: `/apps/${app.name}/assets/${entry}`, versions: new Map(versions) } };
}
