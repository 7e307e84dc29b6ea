import type { Site } from "@appserver/transports/http";
import { builtFolder, folderOnDemand } from "./site-folders.ts";

/** The editor writes style sheets. Nothing leaves the origin. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const path = "/playground";
const site = { path, policy, listed: { path, text: "tries the API in the browser" } };

/** Returns the playground as it was built by `npm run build`. */
export function builtPlayground(): Site {
  return { ...site, folder: builtFolder("apps/playground") };
}

/** Returns the playground, built at its first use. */
export function playgroundOnDemand(): Site {
  return { ...site, folder: folderOnDemand("apps/playground") };
}
