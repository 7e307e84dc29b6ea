import type { FlowKind } from "@appserver/contracts/sign-in";

/** The page of each flow. */
export const pages: Readonly<Record<FlowKind, string>> = {
  login: "/login",
  registration: "/login/registration",
  recovery: "/login/recovery",
  verification: "/login/verification",
  settings: "/login/settings",
};

export interface FlowSearch {
  readonly flow?: string | undefined;
  readonly return_to?: string | undefined;
  readonly aal?: "aal2" | undefined;
  readonly refresh?: true | undefined;
}

/** Returns the path and query of an address of this platform. Undefined for every other address. */
export function ownPath(address: string | undefined): string | undefined {
  if (address === undefined || !URL.canParse(address, location.origin)) return undefined;
  const { origin, pathname, search } = new URL(address, location.origin);
  return origin === location.origin && !pathname.startsWith("//") ? `${pathname}${search}` : undefined;
}

/** Returns the address of a flow's page. */
export function pageOf(kind: FlowKind, search: FlowSearch): string {
  const given = Object.entries(search).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  const query = new URLSearchParams(given).toString();
  return query === "" ? pages[kind] : `${pages[kind]}?${query}`;
}

/**
 * Returns the page for an address at which Kratos begins a flow, wherever Kratos believes to be. Other addresses stay as they are: a
 * page of Kratos' configuration, or a service at which users sign in.
 */
export function pageInstead(address: string): string {
  const url = new URL(address, location.origin);
  const kind = /\/self-service\/(login|registration|recovery|verification|settings)\/browser$/.exec(url.pathname)?.[1];
  if (kind === undefined) return address;
  return pageOf(kind as FlowKind, {
    aal: url.searchParams.get("aal") === "aal2" ? "aal2" : undefined,
    refresh: url.searchParams.get("refresh") === "true" ? true : undefined,
  });
}
