import { type FlowQuery, flowUrl, KratosPages } from "@appserver/identity-kratos";
import type { ReturnAddress, SignIn } from "@appserver/transports/http";
import type { ServeConfig } from "../config/serve-config.ts";

/**
 * Whether the pages of Kratos are those of the console, and the server passes their requests on to Kratos. Otherwise browsers reach
 * Kratos at an address of its own, with pages that the operator runs.
 */
export function hasOwnPages({ authServices }: Pick<ServeConfig, "authServices">): boolean {
  return authServices.kratosBrowserUrl === undefined;
}

/** Returns the sign-in of `appserver serve`: the pages of Kratos, which return to the URL that browsers use. */
export function kratosSignIn({ server: { publicUrl: ownUrl }, authServices, auth }: ServeConfig): SignIn {
  const { kratosPublicUrl: publicUrl, kratosBrowserUrl: browserUrl } = authServices;
  const kratos = new KratosPages({ publicUrl, sessionCookieName: auth.sessionCookieName });
  const pageOf = (flow: "login" | "settings", page: string, back: ReturnAddress, aal: Pick<FlowQuery, "aal"> = {}): string => {
    if (browserUrl === undefined) return `${page}?${new URLSearchParams({ return_to: back.path, ...aal })}`;
    const returnTo = ownUrl === undefined ? back.url : new URL(back.path, ownUrl).href;
    return flowUrl(browserUrl, flow, { return_to: returnTo, ...aal });
  };
  return {
    loginUrl: (back, factor) => pageOf("login", "/login", back, factor === "second" ? { aal: "aal2" } : {}),
    accountUrl: (back) => pageOf("settings", "/login/settings", back),
    signOut: async ({ headers }, { path }) => ({ location: path, cookies: await kratos.signOut(headers.cookie ?? "") }),
  };
}
