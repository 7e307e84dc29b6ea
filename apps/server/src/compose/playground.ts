import type { Site } from "@appserver/transports/http";
import { builtFolder, folderOnDemand } from "./site-folders.ts";

/** The editor writes style sheets and starts workers. Nothing leaves the origin. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self' blob:",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self' data:",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const path = "/playground";
const site = { path, policy, listed: { path, text: "tries the API in the browser" } };

/** Returns GraphiQL as it was built by `npm run build`. */
export function builtPlayground(): Site {
  return { ...site, folder: builtFolder("apps/playground") };
}

/** Returns GraphiQL, built at its first use. */
export function playgroundOnDemand(): Site {
  return { ...site, folder: folderOnDemand("apps/playground") };
}
