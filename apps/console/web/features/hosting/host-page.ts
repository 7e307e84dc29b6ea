import { livePage, type PageActions, type PageStart } from "@appserver/sdk/page-frame";
import { checkScripts } from "./check-scripts.ts";
import type { FrontendPage } from "./frontend-queries.ts";
import type { HostedPage, PageEvents } from "./hosted-page.ts";
import { frameModule, frameRenderedPage } from "./in-frame.ts";
import { mountModule } from "./load-module.ts";
import { runsInDocument } from "./origin-apps.ts";
import { withRemoteEntry } from "./remote-entry.ts";

/**
 * Shows the page of an app below `place`: in the platform's origin only if its app may act for it and does not render it itself,
 * otherwise in a frame.
 */
export function hostPage(
  place: HTMLElement,
  page: FrontendPage,
  start: PageStart,
  actions: PageActions,
  events: PageEvents,
): HostedPage {
  let shown: HostedPage | undefined;
  let isClosed = false;
  let latest = start;
  const fail = (error: unknown): void => {
    if (!isClosed) events.failed(error instanceof Error ? error.message : String(error));
  };
  checkScripts(page.scripts)
    .then(() => (page.renderedUrl === null ? withRemoteEntry(page) : page))
    .then((checked) => {
      if (isClosed) return;
      const isFramed = page.sandboxed || page.renderedUrl !== null || !runsInDocument(page);
      const show = page.renderedUrl !== null ? frameRenderedPage : isFramed ? frameModule : inDocument;
      shown = show(place, checked, latest, actions, { ...events, failed: fail });
    })
    .catch(fail);
  return {
    setPath: (path) => {
      latest = { ...latest, path };
      shown?.setPath(path);
    },
    setTheme: (theme) => {
      latest = { ...latest, theme };
      shown?.setTheme(theme);
    },
    close: () => {
      isClosed = true;
      shown?.close();
    },
  };
}

function inDocument(
  place: HTMLElement,
  page: FrontendPage,
  start: PageStart,
  actions: PageActions,
  events: PageEvents,
): HostedPage {
  const element = document.createElement("div");
  place.append(element);
  const nonce = document.querySelector<HTMLMetaElement>("meta[property=csp-nonce]")?.nonce ?? "";
  const live = livePage(start, actions, nonce);
  let unmount: (() => void) | undefined;
  let isClosed = false;
  const onError = ({ error, message }: ErrorEvent): void => {
    // React removes what it showed when a component throws.
    if (unmount && element.childElementCount === 0) events.failed(error instanceof Error ? error.message : message);
  };
  window.addEventListener("error", onError);
  mountModule(page, element, live.context).then(
    (end) => {
      if (isClosed) return end();
      unmount = end;
      events.mounted();
    },
    (error: unknown) => events.failed(error instanceof Error ? error.message : String(error)),
  );
  return {
    setPath: (path) => void live.setPath(path),
    setTheme: live.setTheme,
    close: () => {
      isClosed = true;
      window.removeEventListener("error", onError);
      try {
        unmount?.();
      } catch (error) {
        reportError(error);
      }
      element.remove();
    },
  };
}
