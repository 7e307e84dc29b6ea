const mediaType = /^\s*([a-z0-9!#$&^_.+-]+)\/([a-z0-9!#$&^_.+-]+)\s*(?:;[^,\r\n]*)?$/i;
const inertKinds: ReadonlySet<string> = new Set(["image", "audio", "video", "font"]);
const inertTypes: ReadonlySet<string> = new Set([
  "text/plain",
  "text/css",
  "text/csv",
  "text/javascript",
  "text/markdown",
  "text/event-stream",
  "application/javascript",
  "application/json",
  "application/octet-stream",
  "application/wasm",
  "application/gzip",
  "application/zip",
]);

/** Results by content type: an app has few. */
const known = new Map<string, boolean>();
const maxKnown = 1_000;

/**
 * Returns true if a browser might run script from a response that it shows as a page: HTML, SVG, every XML type, and every type
 * that is not known to be harmless, including a missing or malformed type. PDF is included because its forms send requests with
 * the origin that served the file. The check is only safe together with `nosniff`.
 * https://mimesniff.spec.whatwg.org/#scriptable-mime-type
 */
export function isActiveDocument(contentType = ""): boolean {
  const found = known.get(contentType);
  if (found !== undefined) return found;
  const isActive = mayRunScript(contentType);
  if (known.size < maxKnown && contentType.length < 100) known.set(contentType, isActive);
  return isActive;
}

function mayRunScript(contentType: string): boolean {
  const match = mediaType.exec(contentType);
  const [kind, subtype] = [match?.[1]?.toLowerCase() ?? "", match?.[2]?.toLowerCase() ?? ""];
  if (subtype === "xml" || subtype.endsWith("+xml")) return true;
  return !(inertKinds.has(kind) || subtype.endsWith("+json") || inertTypes.has(`${kind}/${subtype}`));
}
