import { emailKey, isEmail } from "../people/email.ts";
import { invalid, quoted } from "./scim-error.ts";
import type { Complex, Value, Values } from "./values.ts";

/** What a client says of a person. */
export interface UserProfile {
  readonly userName: string;
  readonly externalId: string | undefined;
  readonly displayName: string | undefined;
  readonly name: Complex;
  readonly emails: readonly Complex[];
  /** Undefined: the client does not say. */
  readonly active: boolean | undefined;
}

const maxAccountName = 100;

/** Throws invalidValue if the person has no name for the account, or an address is none. */
export function profileOf(values: Values): UserProfile {
  const userName = textIn(values, "userName")?.trim();
  if (!userName) throw invalid("invalidValue", "userName must be given");
  const emails = (values.get("emails") ?? []) as readonly Complex[];
  const used = emails.filter(({ value }) => value !== undefined);
  for (const { value } of used)
    if (!isEmail(String(value))) throw invalid("invalidValue", `emails: ${quoted(value)} is no e-mail address`);
  return {
    userName,
    externalId: textIn(values, "externalId"),
    displayName: textIn(values, "displayName"),
    name: (values.get("name") ?? {}) as Complex,
    emails: used,
    active: values.get("active") as boolean | undefined,
  };
}

export function valuesOf({ userName, externalId, displayName, name, emails, active }: UserProfile): Values {
  const entries: readonly [string, Value | undefined][] = [
    ["userName", userName],
    ["externalId", externalId],
    ["displayName", displayName],
    ["name", Object.keys(name).length === 0 ? undefined : name],
    ["emails", emails.length === 0 ? undefined : emails],
    ["active", active],
  ];
  return new Map(entries.flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const])));
}

/** Returns the address of the account: the primary one, that of work, or any; without one the name, if it is an address. */
export function addressOf({ userName, emails }: UserProfile): string | undefined {
  const chosen =
    emails.find(({ primary }) => primary === true) ??
    emails.find(({ type }) => String(type).toLowerCase() === "work") ??
    emails[0];
  if (chosen) return String(chosen["value"]);
  return isEmail(userName) ? userName : undefined;
}

/** Returns the name that other people see. */
export function accountNameOf({ userName, displayName, name }: UserProfile): string {
  const said = displayName ?? name["formatted"] ?? (joined(name) || userName);
  return [...String(said).trim()].slice(0, maxAccountName).join("");
}

/** The whole name follows its parts, if it was made of them and only these were changed. */
export function withFormattedName(before: UserProfile, after: UserProfile): UserProfile {
  const { formatted } = after.name;
  const follows = formatted !== undefined && formatted === before.name["formatted"] && formatted === joined(before.name);
  return follows ? { ...after, name: { ...after.name, formatted: joined(after.name) } } : after;
}

/** What two spellings of one name have in common. */
export const nameKey: (name: string) => string = emailKey;

function joined({ givenName = "", familyName = "" }: Complex): string {
  return `${givenName} ${familyName}`.trim();
}

function textIn(values: Values, name: string): string | undefined {
  const value = values.get(name);
  return typeof value === "string" ? value : undefined;
}
