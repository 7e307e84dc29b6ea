import { triedKey } from "./sign-in-url.ts";

/** Ends the session, and goes where the identity provider says. */
export async function signOut(): Promise<void> {
  const response = await fetch("/console/sign-out", { method: "POST" });
  if (!response.ok) throw new Error(`the platform responded with ${response.status}`);
  const { location: next } = (await response.json()) as { readonly location: string };
  // The console then opens the login at once.
  sessionStorage.removeItem(triedKey);
  location.assign(next);
}
