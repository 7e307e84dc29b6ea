import type { Caller } from "@appserver/kernel";

/** What headers say of a user, in percent-encoded UTF-8. A member is undefined if it is not known. */
export interface PersonTexts {
  readonly userName: string | undefined;
  readonly userEmail: string | undefined;
}

/** Maximum lengths in characters (docs/interface/limits.md#proxied-requests). */
const maxNameLength = 128;
const maxEmailLength = 256;

/**
 * Returns the name and the address of a user. Undefined for other callers. A longer name is cut. A longer address is left out: what is left of it
 * would be the address of another person.
 */
export function personTexts(caller: Caller): PersonTexts | undefined {
  if (caller.kind !== "user") return undefined;
  const { displayName, email } = caller;
  return {
    userName: encoded(cut(displayName)),
    userEmail: email && email.length <= maxEmailLength ? encoded(email) : undefined,
  };
}

/** Cuts between characters, never within one. */
function cut(name: string): string {
  return name.length <= maxNameLength ? name : [...name].slice(0, maxNameLength).join("");
}

function encoded(text: string): string | undefined {
  return text === "" ? undefined : encodeURIComponent(text.toWellFormed());
}
