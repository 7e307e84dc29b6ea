const reloadedKey = "console.origin-app";

/** The apps whose scripts the policy of this document admits: those that held `page:origin` when it was loaded. */
const admitted = new Set(
  document.querySelector<HTMLMetaElement>('meta[name="appserver-origin-apps"]')?.content.split(" ").filter(Boolean) ?? [],
);

/**
 * Returns whether scripts of the app may run in this document. If the app got `page:origin` after the document was loaded, the document
 * is loaded again, once for each release: the policy has only apps whose serving release asks for it.
 */
export function runsInDocument({ name, url }: { readonly name: string; readonly url: string }): boolean {
  if (admitted.has(name)) {
    sessionStorage.removeItem(reloadedKey);
    return true;
  }
  if (sessionStorage.getItem(reloadedKey) === url) return false;
  sessionStorage.setItem(reloadedKey, url);
  location.reload();
  return false;
}
