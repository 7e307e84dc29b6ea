import { hookNameLimit, isHookName } from "@appserver/contracts/names";
import { invalidField } from "@appserver/kernel";

/** Throws INVALID_REQUEST for an invalid hook name. */
export function checkHookName(name: string, field: string): void {
  if (isHookName(name)) return;
  const message = `must be an app's name, a dot and a suffix in lower case, as in com.example.notes.created, at most ${hookNameLimit} characters, got ${JSON.stringify(name.slice(0, 200))}`;
  throw invalidField(field, message);
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
