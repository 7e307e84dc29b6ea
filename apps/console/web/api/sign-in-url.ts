/** Where the session storage has the time at which the console last opened the login by itself. */
export const triedKey = "console.sign-in";

/** Returns the address of the login, or of its second factor, which returns to this path. */
export function signInUrl(returnTo: string, needsSecondFactor: boolean = false): string {
  return `/console/sign-in?${new URLSearchParams({ return_to: returnTo, ...(needsSecondFactor && { aal: "aal2" }) })}`;
}
