/** Returns the owner and the name under which the secret of a target is sealed. */
export function targetSecretPlace(targetId: string): { readonly owner: string; readonly name: string } {
  return { owner: "platform", name: `notification-target:${targetId}` };
}
