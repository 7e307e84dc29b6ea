import { createHmac } from "node:crypto";

/** Of a tool that is a route of an app. No operation of the platform has such a name. */
export const appToolPrefix = "app__";

const maxAppLength = 26;
const maxOperationLength = 22;

/** What the name of a tool stands for. */
export interface NamedRoute {
  readonly app: string;
  readonly method: string;
  /** The path, with its parameters. */
  readonly path: string;
}

/**
 * Returns the name of a route as a tool: `app__com_example_notes__get_items_id_1f3a5c7e`, at most 64 letters, digits, `_` and `-`. Its end is
 * an HMAC of app, method and path: without the key of the platform, an app cannot choose a path whose name is that of another tool.
 */
export function appToolName({ app, method, path }: NamedRoute, key: Uint8Array): string {
  const operation = plain(`${method}_${path}`.toLowerCase()).slice(0, maxOperationLength);
  const mac = createHmac("sha256", key).update(JSON.stringify(["tool", app, method, path]));
  return `${toolPrefixOf(app)}${operation.replace(/_$/, "")}_${mac.digest("hex").slice(0, 8)}`;
}

/** Returns how the names of an app's tools begin. Those of another app may begin in the same way. */
export function toolPrefixOf(app: string): string {
  return `${appToolPrefix}${appPart(app)}__`;
}

/** Of a long name the end, which differs most. */
function appPart(app: string): string {
  return plain(plain(app).slice(-maxAppLength));
}

/** One `_` at most: two divide the parts. */
function plain(text: string): string {
  return text.replace(/[^a-zA-Z0-9-]+/g, "_").replace(/^_|_$/g, "");
}
