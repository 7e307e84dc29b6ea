import { themeCookie } from "@appserver/contracts/branding";
import { localStorageColorSchemeManager, type MantineColorScheme, type MantineColorSchemeManager } from "@mantine/core";

const stored = localStorageColorSchemeManager();
const year = 31_536_000;

/** Keeps the chosen theme in the browser, and in a cookie, for the pages of the platform without scripts (docs/interface/branding.md#themes). */
export const colorSchemeManager: MantineColorSchemeManager = {
  ...stored,
  get: (initial) => {
    const scheme = stored.get(initial);
    keep(scheme);
    return scheme;
  },
  set: (scheme) => {
    stored.set(scheme);
    keep(scheme);
  },
};

function keep(scheme: MantineColorScheme): void {
  const isSecure = location.protocol === "https:";
  const age = scheme === "auto" ? 0 : year;
  // biome-ignore lint/suspicious/noDocumentCookie: The Cookie Store API is not in every browser that the console supports.
  document.cookie = `${themeCookie}=${scheme}; Path=/; Max-Age=${age}; SameSite=Lax${isSecure ? "; Secure" : ""}`;
}
