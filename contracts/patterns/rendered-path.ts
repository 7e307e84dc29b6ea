const prefix = "/apps/";
const segment = "/page";

/** Returns the path at and below which an app renders its pages (docs/interface/proxy.md#rendered-pages). */
export function renderedPath(appName: string): string {
  return prefix + appName + segment;
}

/** Returns the name of the app that renders the page of a path. Undefined for the paths of anything else. */
export function rendererOf(path: string): string | undefined {
  if (!path.startsWith(prefix)) return undefined;
  const end = path.indexOf("/", prefix.length);
  if (end < 0 || !path.startsWith(segment, end)) return undefined;
  const after = path[end + segment.length];
  return after === undefined || after === "/" ? path.slice(prefix.length, end) : undefined;
}
