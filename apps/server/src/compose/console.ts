import type { DevIdentity } from "@appserver/identity-dev";
import { nonceMark, type SignIn, type Site } from "@appserver/transports/http";
import { builtFolder, folderOnDemand } from "./site-folders.ts";

/**
 * Scripts and styles are those of the platform and of apps with the permission `page:origin`. Nothing leaves the origin
 * (docs/interface/console.md#content-policy).
 */
const policy = [
  "default-src 'none'",
  `script-src 'self' 'nonce-${nonceMark}'`,
  `style-src 'self' 'nonce-${nonceMark}'`,
  "font-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

/**
 * For the pages of other apps. The sandbox takes the platform's origin from the document: it has no session and no storage. The
 * policy takes the network from it. What it gets, it gets from the page around it.
 */
const framePolicy = [
  "sandbox allow-scripts allow-forms",
  "default-src 'none'",
  `script-src 'self' 'nonce-${nonceMark}'`,
  `style-src 'self' 'nonce-${nonceMark}'`,
  "font-src 'self'",
  "img-src 'self' data: blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join("; ");

/** Returns the console as it was built by `npm run build`, with the pages of the identity provider if there are any. */
export function builtConsole({ hasLogin }: { readonly hasLogin: boolean }): Site {
  return { ...consoleOf(builtFolder("console")), ...(hasLogin && { otherPaths: ["/login"] }) };
}

/** Returns the console, built at its first use. */
export function consoleOnDemand(): Site {
  return consoleOf(folderOnDemand("console"));
}

function consoleOf(folder: Site["folder"]): Site {
  return { path: "/console", policy, isShell: true, framePolicy, folder };
}

/** Returns the sign-in of `appserver dev`: its login page, and a session that ends with its cookie. */
export function developmentSignIn({ sessionCookieName }: DevIdentity): SignIn {
  return {
    loginUrl: ({ path }) => `/dev/login?return_to=${encodeURIComponent(path)}`,
    signOut: (_request, { path }) => ({
      location: path,
      cookies: [`${sessionCookieName}=; HttpOnly; SameSite=Lax; Path=/; Max-Age=0`],
    }),
  };
}
