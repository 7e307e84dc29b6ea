import { cookieTokenPrefix } from "@appserver/contracts/command-line";
import type { ReturnAddress, SignIn } from "@appserver/kernel/ports";
import type { AccountsDatabase } from "./accounts-database.ts";
import { pendingCookie } from "./browser/flow-cookies.ts";
import type { SessionCookie } from "./session-cookie.ts";
import type { SessionTable } from "./sessions/session-table.ts";
import { isToken } from "./token.ts";
import { outageOf } from "./unavailable.ts";

export interface AccountsSignInDeps {
  readonly database: AccountsDatabase;
  readonly table: SessionTable;
  readonly cookie: SessionCookie;
}

/** Returns the sign-in, whose pages are those of the console. */
export function accountsSignIn({ database, table, cookie }: AccountsSignInDeps): SignIn {
  return {
    loginUrl: (back, factor) => page("/login", back, factor === "second" ? { aal: "aal2" } : {}),
    accountUrl: (back) => page("/login/settings", back),
    signOut: async ({ headers }, { path, url }) => {
      const bearer = (headers.authorization ?? "").replace(/^bearer +/i, "");
      // The token of appctl can be a browser's session. Then it begins so.
      const token = bearer.startsWith(cookieTokenPrefix) ? bearer.slice(cookieTokenPrefix.length) : bearer;
      const tokens = [...cookie.valuesIn(headers.cookie ?? ""), token].filter(isToken);
      try {
        if (tokens.length > 0) await table.endByTokens(database, tokens);
      } catch (error) {
        throw outageOf(error);
      }
      const isSecure = url.startsWith("https:");
      return { location: path, cookies: [cookie.remove(isSecure), pendingCookie.set("", isSecure)] };
    },
  };
}

function page(path: string, back: ReturnAddress, query: Readonly<Record<string, string>> = {}): string {
  return `${path}?${new URLSearchParams({ return_to: back.path, ...query })}`;
}
