import { i18n } from "../i18n.ts";
import { triedKey } from "./sign-in-url.ts";

/** Ends the session, and goes where the identity provider says. */
export async function signOut(): Promise<void> {
  const response = await fetch("/console/sign-out", { method: "POST" });
  if (!response.ok) throw new Error(i18n.t("the platform responded with {status}", { status: response.status }));
  const { location: next } = (await response.json()) as { readonly location: string };
  // The console then opens the login at once.
  sessionStorage.removeItem(triedKey);
  location.assign(next);
}
