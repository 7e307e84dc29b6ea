import type { NoticeKind, PageContext, PageRequest, PageTheme, PageViewer } from "./page-types.ts";

/** What a page gets at its start. Can be sent to a frame. */
export interface PageStart {
  readonly basePath: string;
  readonly path: string;
  readonly viewer: PageViewer;
  readonly theme: PageTheme;
  readonly locale: string;
}

/** What a page can do. */
export interface PageActions {
  navigate(path: string, replace: boolean): void;
  send(path: string, request: PageRequest): Promise<Response>;
  notify(message: string, kind: NoticeKind): void;
}

/** The context of one page, and the two things that change while it is shown. */
export interface LivePage {
  readonly context: PageContext;
  /** Returns whether something in the page listens to paths. */
  setPath(path: string): boolean;
  setTheme(theme: PageTheme): void;
}

export function livePage(start: PageStart, actions: PageActions, nonce: string): LivePage {
  const path = new Changing(start.path);
  const theme = new Changing(start.theme);
  const context: PageContext = {
    basePath: start.basePath,
    viewer: start.viewer,
    can: (permission) => start.viewer.permissions.includes(permission),
    locale: start.locale,
    nonce,
    get path() {
      return path.value;
    },
    get theme() {
      return theme.value;
    },
    onPathChange: (listener) => path.onChange(listener),
    onThemeChange: (listener) => theme.onChange(listener),
    navigate: (to, { replace = false } = {}) => actions.navigate(to, replace),
    fetch: (to, request = {}) => actions.send(to, request),
    notify: (message, kind = "info") => actions.notify(message, kind),
  };
  return {
    context,
    setPath: (to) => {
      path.set(to);
      return path.hasListeners;
    },
    setTheme: (to) => theme.set(to),
  };
}

class Changing<T> {
  readonly #listeners = new Set<(value: T) => void>();
  value: T;

  constructor(value: T) {
    this.value = value;
  }

  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  set(value: T): void {
    if (value === this.value) return;
    this.value = value;
    for (const listener of this.#listeners) listener(value);
  }

  onChange(listener: (value: T) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
