import { containerName } from "@appserver/contracts/names";
import { type AppManifest, AppManifestSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import type { NavigationRoute } from "@appserver/contracts/proto/appserver/v2/ui";
import { clone } from "@bufbuild/protobuf";
import { displayName } from "./releases.ts";

const mark = " (clone)";
const displayNameLimit = 100;

/**
 * Returns the manifest of a clone: the release under another name and below other paths, which runs the image `digest`. It subscribes to
 * no hook, has no schedule, needs no other app and no permission of another owner (docs/interface/snapshots.md#clone). Certificate and
 * signatures are still those of the original.
 */
export function cloneManifest(original: AppManifest, name: string, digest: string): AppManifest {
  const copy = clone(AppManifestSchema, original);
  copy.name = name;
  copy.displayName = [...displayName(original)].slice(0, displayNameLimit - mark.length).join("") + mark;
  copy.imageDigest = digest;
  copy.hooks = [];
  copy.dependencies = [];
  copy.requiredPermissions = copy.requiredPermissions.filter(({ resourceType }) => resourceType === original.name);
  for (const permission of copy.requiredPermissions) permission.resourceType = name;
  for (const activity of copy.activities) delete activity.schedule;
  moveApi(copy, original.name);
  movePages(copy, original.name);
  return copy;
}

function moveApi({ name, webApp }: AppManifest, original: string): void {
  const api = webApp?.api;
  if (!api) return;
  api.basePath = moved(api.basePath, `/api/apps/${original}`, `/api/apps/${name}`);
  if (api.openapiUrl !== undefined) api.openapiUrl = moved(api.openapiUrl, `/api/apps/${original}`, `/api/apps/${name}`);
  const upstream = new URL(api.upstreamBaseUrl);
  if (upstream.hostname !== containerName(original)) return;
  const [before, after] = [`//${containerName(original)}`, `//${containerName(name)}`];
  api.upstreamBaseUrl = api.upstreamBaseUrl.replace(before, after);
}

function movePages({ name, webApp }: AppManifest, original: string): void {
  const ui = webApp?.ui;
  if (!ui) return;
  const from = ui.routeBase.replace(/\/+$/, "");
  const to = `/${name}`;
  ui.routeBase = to;
  const move = (route: NavigationRoute): void => {
    route.href = moved(route.href, from, to);
    if (route.icon !== undefined)
      for (const folder of ["/apps/", "/api/apps/"]) route.icon = moved(route.icon, folder + original, folder + name);
    route.children.forEach(move);
  };
  ui.navigation.forEach(move);
}

/** Returns a path that is `from` or below it as one that is `to` or below it. Returns any other path as it is. */
function moved(path: string, from: string, to: string): string {
  const rest = path.slice(from.length);
  return path.startsWith(from) && /^($|[/?#])/.test(rest) ? to + rest : path;
}
