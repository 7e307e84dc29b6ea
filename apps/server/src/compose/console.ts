import { brandingPaths } from "@appserver/contracts/branding";
import { languages } from "@appserver/contracts/languages";
import { appMark, digestMark, nonceMark, originAppMark, ownSource, type Site } from "@appserver/transports/http";
import { builtFolder, folderOnDemand } from "./site-folders.ts";

const consoleFiles = ownSource("/console/assets/");
/** The look that the platform gives to pages of apps. */
const appStyles = ownSource(brandingPaths.app);
/** What the manifests of apps with the permission `page:origin` name. */
const originApps = `${ownSource(`/apps/${originAppMark}/versions/`)} ${ownSource(`/apps/${originAppMark}/assets/`)}`;

/**
 * Scripts and styles are those of the console, and of the manifests of apps with the permission `page:origin`: a backend is at the same
 * origin, and no manifest names what it sends. Nothing leaves the origin (docs/interface/console.md#content-policy).
 */
const policy = [
  "default-src 'none'",
  `script-src ${consoleFiles} ${originApps} 'nonce-${nonceMark}'`,
  `style-src ${consoleFiles} ${ownSource(brandingPaths.tokens)} ${appStyles} ${originApps} 'nonce-${nonceMark}'`,
  "font-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

/** The files of one release, and those of the release that serves. */
const release = `${ownSource(`/apps/${appMark}/versions/${digestMark}/`)} ${ownSource(`/apps/${appMark}/assets/`)}`;

/**
 * For the pages of other apps. The sandbox takes the platform's origin from the document: it has no session and no storage. The
 * policy takes the network from it, but for the files of the app. What else it gets, it gets from the page around it.
 */
const framePolicy = [
  "sandbox allow-scripts allow-forms",
  "default-src 'none'",
  `script-src ${consoleFiles} ${release} 'nonce-${nonceMark}'`,
  `style-src ${consoleFiles} ${appStyles} ${release} 'nonce-${nonceMark}'`,
  `font-src ${consoleFiles} ${release}`,
  `img-src ${consoleFiles} ${release} data: blob:`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join("; ");

interface ConsoleOptions {
  /** Whether it has the pages of the identity provider. */
  readonly hasLogin: boolean;
}

/** Returns the console as it was built by `npm run build`. */
export function builtConsole(options: ConsoleOptions): Site {
  return consoleOf(builtFolder("apps/console"), options);
}

/** Returns the console, built at its first use. */
export function consoleOnDemand(options: ConsoleOptions): Site {
  return consoleOf(folderOnDemand("apps/console"), options);
}

function consoleOf(folder: Site["folder"], { hasLogin }: ConsoleOptions): Site {
  const site = { path: "/console", policy, isShell: true, languages: Object.keys(languages), framePolicy, folder };
  return { ...site, ...(hasLogin && { otherPaths: ["/login"] }) };
}
