import { Store } from "../api/store.ts";

/** Whether a script of the console could not be loaded: the platform has another build of it now, or does not respond. */
export const missingScript: Store<boolean> = new Store<boolean>(false);

const reloadedKey = "console.reloaded";
const onceMs = 60_000;

/**
 * Notes scripts that cannot be loaded. Their imports resolve with undefined from then on: a page that was only prepared, because the
 * pointer is over its link, changes nothing.
 */
export function watchScripts(): void {
  window.addEventListener("vite:preloadError", (event) => {
    event.preventDefault();
    missingScript.set(true);
  });
}

/** Loads the page again, unless that has just been done. Then it returns false. */
export function reloadOnce(): boolean {
  const last = Number(sessionStorage.getItem(reloadedKey) ?? 0);
  if (Date.now() - last < onceMs) return false;
  sessionStorage.setItem(reloadedKey, String(Date.now()));
  location.reload();
  return true;
}
