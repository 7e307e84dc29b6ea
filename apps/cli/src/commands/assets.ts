import { ask, found } from "../client.ts";
import { AssetDocument, type AssetFragment, AssetsOfAppDocument } from "../generated/operations.ts";
import type { GlobalOptions } from "../global-options.ts";
import { fieldLines, print, printJson } from "../output.ts";
import { renderTable } from "../table.ts";

/** Shows the files of an app's frontend, or one of them. */
export async function showAssets(options: GlobalOptions, appName: string, assetName: string | undefined): Promise<void> {
  if (assetName === undefined) {
    const { assets } = found((await ask(options, AssetsOfAppDocument, { name: appName })).app, `app ${appName}`);
    if (options.json) printJson(assets);
    else print(assets.length === 0 ? `${appName} has no assets` : assetTable(assets));
    return;
  }
  const { asset } = await ask(options, AssetDocument, { appName, assetName });
  const { size, ...fields } = found(asset, `asset ${assetName} of ${appName}`);
  if (options.json) printJson(asset);
  else
    print(
      fieldLines(Object.entries({ ...fields, size: `${size} bytes` }).map(([name, value]) => [labels[name] ?? name, value])),
    );
}

const labels: Readonly<Record<string, string>> = { mimeType: "type", signatureAlgorithm: "signature" };

function assetTable(assets: readonly AssetFragment[]): string {
  return renderTable(
    ["NAME", "TYPE", "BYTES", "INTEGRITY"],
    assets.map(({ name, mimeType, size, integrity }) => [name, mimeType, size, integrity]),
  );
}
