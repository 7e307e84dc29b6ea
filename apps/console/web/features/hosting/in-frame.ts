import type { PageActions, PageStart, ReadyMessage } from "@appserver/sdk/page-frame";
import { i18n } from "../../i18n.ts";
import { type FrameEvents, FrameHost } from "./frame-host.ts";
import type { FrontendPage } from "./frontend-queries.ts";
import type { HostedPage, PageEvents } from "./hosted-page.ts";
import type { PageModule } from "./page-module.ts";

/** Shows the scripts of a page in the platform's own frame document. */
export function frameModule(
  place: HTMLElement,
  page: FrontendPage,
  start: PageStart,
  actions: PageActions,
  events: PageEvents,
): HostedPage {
  // The policy of the document names the files of one release.
  const [, release = ""] = /^(\/apps\/[^/]+\/versions\/[^/]+)\//.exec(page.url) ?? [];
  const url = `/console/frame/${release.replace("/apps/", "").replace("/versions/", "/")}`;
  return new PageFrame(place, page.displayName, url, start, actions, { ...events, unfollowed: () => {} }, page);
}

/** Shows a page that its app renders. A page that does not follow its path itself is loaded again with each new path. */
export function frameRenderedPage(
  place: HTMLElement,
  { displayName, renderedUrl }: FrontendPage,
  start: PageStart,
  actions: PageActions,
  events: PageEvents,
): HostedPage {
  let latest = start;
  const load = (): PageFrame => {
    const { path } = latest;
    const url = `${renderedUrl}${/^[?#]/.test(path) || path === "" ? `/${path}` : path}`;
    return new PageFrame(place, displayName, url, latest, actions, {
      mounted: () => {},
      failed: events.failed,
      loaded: events.mounted,
      unfollowed: reload,
    });
  };
  let frame = load();
  function reload(): void {
    frame.close();
    frame = load();
  }
  return {
    setPath: (path) => {
      if (path === latest.path) return;
      latest = { ...latest, path };
      if (frame.isConnected) frame.setPath(path);
      else reload();
    },
    setTheme: (theme) => {
      latest = { ...latest, theme };
      frame.setTheme(theme);
    },
    close: () => frame.close(),
  };
}

interface PageFrameEvents extends FrameEvents {
  loaded?(): void;
}

/** A frame without the platform's origin. */
class PageFrame implements HostedPage {
  readonly #frame = document.createElement("iframe");
  readonly #actions: PageActions;
  readonly #events: PageFrameEvents;
  readonly #module: PageModule | undefined;
  #start: PageStart;
  #host: FrameHost | undefined;
  #isLoaded = false;

  constructor(
    place: HTMLElement,
    title: string,
    url: string,
    start: PageStart,
    actions: PageActions,
    events: PageFrameEvents,
    module?: PageModule,
  ) {
    this.#start = start;
    this.#actions = actions;
    this.#events = events;
    this.#module = module;
    this.#frame.title = title;
    this.#frame.setAttribute("sandbox", "allow-scripts allow-forms");
    this.#frame.src = url;
    this.#frame.className = "app-frame";
    this.#frame.addEventListener("load", this.#onLoad);
    window.addEventListener("message", this.#onMessage);
    place.append(this.#frame);
  }

  /** Whether the page has taken the page contract. */
  get isConnected(): boolean {
    return this.#host !== undefined;
  }

  setPath(path: string): void {
    this.#start = { ...this.#start, path };
    this.#host?.setPath(path);
  }

  setTheme(theme: PageStart["theme"]): void {
    this.#start = { ...this.#start, theme };
    this.#host?.setTheme(theme);
  }

  close(): void {
    window.removeEventListener("message", this.#onMessage);
    this.#host?.close();
    this.#frame.remove();
  }

  readonly #onLoad = (): void => {
    if (!this.#isLoaded) {
      this.#isLoaded = true;
      this.#events.loaded?.();
      return;
    }
    // A second document in the frame is one that the page went to. It gets nothing.
    this.#host?.close();
    this.#events.failed(i18n.t("the page has left its frame"));
  };

  readonly #onMessage = ({ source, data }: MessageEvent<Partial<ReadyMessage> | null>): void => {
    const window = this.#frame.contentWindow;
    if (source === null || source !== window || data?.type !== "appserver:ready" || this.#host) return;
    this.#host = new FrameHost(window, this.#module, this.#start, this.#actions, this.#events);
  };
}
