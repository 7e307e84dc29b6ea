import type { IncomingHttpHeaders } from "node:http";
import { cookieTokenPrefix } from "@appserver/contracts/command-line";
import type { ReturnAddress, SignIn } from "@appserver/kernel/ports";
import { type FlowQuery, flowUrl, type KratosPages, type SessionCredential } from "./kratos-pages.ts";

export interface KratosSignInOptions {
  /**
   * The URL of Kratos for browsers, if they reach it at an address of its own, with pages that the operator runs. Without it the
   * pages are those of the console, and the server passes their requests on to Kratos.
   */
  readonly browserUrl: string | undefined;
  /** The platform's URL for browsers. Default: that of the request. */
  readonly ownUrl: string | undefined;
}

/** Returns the sign-in with Kratos, whose pages return to the URL that browsers use. */
export function kratosSignIn(pages: Pick<KratosPages, "signOut">, { browserUrl, ownUrl }: KratosSignInOptions): SignIn {
  const pageOf = (flow: "login" | "settings", page: string, back: ReturnAddress, aal: Pick<FlowQuery, "aal"> = {}): string => {
    if (browserUrl === undefined) return `${page}?${new URLSearchParams({ return_to: back.path, ...aal })}`;
    const returnTo = ownUrl === undefined ? back.url : new URL(back.path, ownUrl).href;
    return flowUrl(browserUrl, flow, { return_to: returnTo, ...aal });
  };
  return {
    loginUrl: (back, factor) => pageOf("login", "/login", back, factor === "second" ? { aal: "aal2" } : {}),
    accountUrl: (back) => pageOf("settings", "/login/settings", back),
    signOut: async ({ headers }, { path }) => ({ location: path, cookies: await pages.signOut(credentialOf(headers)) }),
  };
}

/** appctl has a bearer token, a browser cookies. */
function credentialOf({ cookie = "", authorization = "" }: IncomingHttpHeaders): SessionCredential {
  const [, token] = /^bearer +(\S+)$/i.exec(authorization) ?? [];
  if (token === undefined) return { cookies: cookie };
  return token.startsWith(cookieTokenPrefix) ? { value: token.slice(cookieTokenPrefix.length) } : { token };
}
