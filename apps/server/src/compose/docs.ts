import { buildDocs } from "@appserver/builds/docs";
import type { Site } from "@appserver/transports/http";
import { builtFolder, folderOnDemand } from "./site-folders.ts";

/** Its pages have one script, the search. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const path = "/docs";
const site = { path, policy, atRoot: ["llms.txt"], listed: { path: `${path}/`, text: "the documentation" } };

/** Returns the documentation as it was built by `npm run build`. */
export function builtDocs(): Site {
  return { ...site, folder: builtFolder("apps/docs") };
}

/** Returns the documentation, built at its first use. */
export function docsOnDemand(): Site {
  return { ...site, folder: folderOnDemand("apps/docs", buildDocs) };
}
