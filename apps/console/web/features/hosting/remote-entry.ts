interface RemotePage {
  readonly mode: string;
  readonly url: string;
  readonly integrity: string;
  readonly scripts: readonly { readonly url: string }[];
}

/** What the plugins of Module Federation write next to the remote. */
interface FederationManifest {
  readonly metaData?: { readonly remoteEntry?: { readonly name?: unknown; readonly path?: unknown } };
}

/**
 * Returns the page with the script of its remote as its entry, if its manifest names `mf-manifest.json` instead. Other pages stay as they
 * are. Rejects if the file names no script of the app.
 */
export async function withRemoteEntry<Page extends RemotePage>(page: Page): Promise<Page> {
  const { url: entryUrl, integrity } = page;
  if (page.mode !== "FEDERATION" || page.scripts.some((each) => each.url === entryUrl)) return page;
  const file = entryUrl.split("/").at(-1) ?? entryUrl;
  const response = await fetch(entryUrl, { integrity, credentials: "omit" });
  const manifest = (await response.json().catch(() => undefined)) as FederationManifest | undefined;
  const url = remoteUrl(entryUrl, manifest);
  const script = page.scripts.find((each) => url !== undefined && decodeURIComponent(each.url) === decodeURIComponent(url));
  if (!script) throw new Error(`${file} names no script of the app in metaData.remoteEntry`);
  return { ...page, url: script.url };
}

/** Returns the path of the remote, which is relative to the file. */
export function remoteUrl(manifestUrl: string, manifest: FederationManifest | undefined): string | undefined {
  const { name, path = "" } = manifest?.metaData?.remoteEntry ?? {};
  if (typeof name !== "string" || typeof path !== "string") return undefined;
  const folder = path.replace(/^\/+|\/+$/g, "");
  return new URL(folder === "" ? name : `${folder}/${name}`, new URL(manifestUrl, "http://platform")).pathname;
}
