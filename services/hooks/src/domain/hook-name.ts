import { invalidField } from "@appserver/kernel";

const pattern = /^[a-z0-9]+(?:[._-][a-z0-9]+)*$/;
/** An app's name, a dot and a suffix of the same length. */
const maxLength = 127;
const platformPrefix = "app.";

/** Throws INVALID_REQUEST for an invalid hook name. */
export function checkHookName(name: string, field: string): void {
  if (name.length <= maxLength && pattern.test(name)) return;
  const message = `must be an app's name, a dot and a suffix in lower case, as in com.example.notes.created, at most ${maxLength} characters, got ${JSON.stringify(name.slice(0, 200))}`;
  throw invalidField(field, message);
}

/** Whether the hook belongs to the platform: `app.on_create`. Apps cannot trigger it. */
export function isPlatformHook(name: string): boolean {
  return name.startsWith(platformPrefix);
}

/**
 * Returns the names of the apps that the hook may belong to, longest first. It belongs to the first that exists, so that
 * `com.example` cannot trigger hooks of `com.example.notes`.
 */
export function possibleOwners(hookName: string): readonly string[] {
  const owners: string[] = [];
  for (let end = hookName.lastIndexOf("."); end > 0; end = hookName.lastIndexOf(".", end - 1))
    owners.push(hookName.slice(0, end));
  return owners;
}
