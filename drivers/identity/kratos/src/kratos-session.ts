import type { Person, Session } from "@appserver/kernel/ports";

/** Parses the response of `GET /sessions/whoami` with status 200; undefined if it names no user. */
export function parseSession(text: string): { readonly active: boolean; readonly session: Session } | undefined {
  const body = parse(text);
  const identity = member(body, "identity");
  const userId = textOf(member(identity, "id"));
  if (!userId) return undefined;
  const expiresAt = dateOf(member(body, "expires_at"));
  const session = { userId, ...profileOf(identity, userId), ...(expiresAt ? { expiresAt } : {}) };
  return { active: member(body, "active") !== false, session };
}

/** Parses a list of identities; undefined if it is none. */
export function parsePeople(text: string): readonly Person[] | undefined {
  const identities = parse(text);
  if (!Array.isArray(identities)) return undefined;
  return identities.flatMap((identity: unknown) => {
    const userId = textOf(member(identity, "id"));
    if (!userId) return [];
    return [{ userId, ...profileOf(identity, userId), isActive: member(identity, "state") !== "inactive" }];
  });
}

/** Parses the response with status 403: `session_aal2_required`, and where a browser can give the second factor. */
export function parseRefusal(text: string): { readonly reason: string; readonly redirectTo: string | undefined } {
  const body = parse(text);
  const error = member(body, "error");
  return {
    reason: textOf(member(error, "id")) ?? "refused",
    redirectTo: textOf(member(body, "redirect_browser_to")) ?? textOf(member(member(error, "details"), "redirect_browser_to")),
  };
}

function profileOf(identity: unknown, userId: string): Pick<Person, "displayName" | "email"> {
  const traits = member(identity, "traits");
  const email = textOf(member(traits, "email"));
  return { displayName: displayNameOf(traits) ?? userId, ...(email !== undefined && { email }) };
}

/** Traits are defined by the operator. Returns the name from one or two traits, otherwise the sign-in identifier. */
function displayNameOf(traits: unknown): string | undefined {
  const name = member(traits, "name");
  const parts = [textOf(member(name, "first")), textOf(member(name, "last"))].filter((part) => part !== undefined);
  return (
    textOf(name) ??
    (parts.length > 0 ? parts.join(" ") : undefined) ??
    textOf(member(traits, "email")) ??
    textOf(member(traits, "username"))
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function dateOf(value: unknown): Date | undefined {
  const date = new Date(textOf(value) ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
