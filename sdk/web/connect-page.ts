import { connectFrame } from "./connect-frame.ts";
import type { PageContext } from "./page-types.ts";

/**
 * For a page that its app renders itself (`ssr`): returns the page contract from the shell around it. Never resolves for a page in a
 * tab of its own. Links to paths of the app then show that path in the shell; without a listener of `onPathChange`, the shell loads
 * the page of that path.
 */
export async function connectPage(): Promise<PageContext> {
  const { context } = await connectFrame<never>("");
  const renderedBase = renderedBaseOf(location.pathname);
  document.addEventListener("click", (event) => {
    const path = pathOf(event, [context.basePath, renderedBase]);
    if (path === undefined) return;
    event.preventDefault();
    context.navigate(path);
  });
  return context;
}

/** Returns the part of `/apps/{app}/page/…` below which the app renders its pages. */
function renderedBaseOf(pathname: string): string {
  return pathname.split("/").slice(0, 4).join("/");
}

/** Returns where a click leads, below one of the bases. Undefined for other clicks, which the browser handles. */
function pathOf(event: MouseEvent, bases: readonly string[]): string | undefined {
  if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)
    return undefined;
  const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
  if (!(link instanceof HTMLAnchorElement) || (link.target !== "" && link.target !== "_self")) return undefined;
  const { protocol, host, pathname, search, hash } = new URL(link.href);
  if (protocol !== location.protocol || host !== location.host) return undefined;
  const base = bases.find((each) => pathname === each || pathname.startsWith(`${each}/`));
  return base === undefined ? undefined : pathname.slice(base.length) + search + hash;
}
