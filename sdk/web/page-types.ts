/** The types of the page contract (docs/interface/console.md#page-contract). */

/** Who looks at the page. */
export interface PageViewer {
  /** `user:` and the id. */
  readonly subject: string;
  readonly displayName: string;
  /** The app's own permissions that the viewer held when the page was shown, of those that the manifest names. */
  readonly permissions: readonly string[];
}

export type PageTheme = "dark" | "light";

export interface NavigateOptions {
  /** Whether the path takes the place of the present one in the browser's history. Default false. */
  readonly replace?: boolean;
}

export interface PageRequest {
  /** Default GET. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A file of an input is a Blob. */
  readonly body?: ArrayBuffer | Blob | string;
  /** Called with the bytes of the body that were sent and all of them, from time to time and at the end. Such a request follows no redirection. */
  readonly onUpload?: (sentBytes: number, totalBytes: number) => void;
  /** Rejects the request with its reason. */
  readonly signal?: AbortSignal;
}

export type NoticeKind = "error" | "info" | "success";

/** The same for every page, in the platform's origin and in a frame without one. */
export interface PageContext {
  /** The `route_base` of the manifest: `/notes`. */
  readonly basePath: string;
  /** The present path below the base, with query and fragment: empty for the base itself, otherwise `/new?draft=1`. */
  readonly path: string;
  /** Calls `listener` when {@link path} has changed, until the returned function is called. */
  onPathChange(listener: (path: string) => void): () => void;
  /** Shows another path below the base. It becomes the browser's address. */
  navigate(path: string, options?: NavigateOptions): void;
  readonly viewer: PageViewer;
  /**
   * Returns whether {@link PageViewer.permissions} has a permission, as the manifest names it: `notes:approve`. For what the page shows only:
   * the platform checks each request.
   */
  can(permission: string): boolean;
  /**
   * Sends a request to the app's own API as the viewer. `path` is below `/api/apps/{app}` and begins with a slash. Rejects with a
   * TypeError if the platform is unreachable or the path leads elsewhere. In a frame the response arrives as a whole.
   */
  fetch(path: string, request?: PageRequest): Promise<Response>;
  readonly theme: PageTheme;
  /** Calls `listener` when {@link theme} has changed, until the returned function is called. */
  onThemeChange(listener: (theme: PageTheme) => void): () => void;
  /** A language tag: `de-DE`. */
  readonly locale: string;
  /** Shows a short message to the viewer. */
  notify(message: string, kind?: NoticeKind): void;
  /** For `<style>` elements, which the content policy refuses without it. */
  readonly nonce: string;
}

/**
 * Shows the page in an element, and may return a function that removes it. A script of the mode ESM_COMPONENT and the exposed module
 * of the mode FEDERATION export it as `mount`.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a page may return nothing.
export type MountPage = (element: HTMLElement, page: PageContext) => (() => void) | void;

/**
 * A custom element of the mode WEB_COMPONENT. Its script defines it under {@link elementName}. `page` is set before the element is
 * added to the document.
 */
export interface PageElement extends HTMLElement {
  page: PageContext;
}

/** Returns the name of the custom element of an app: `com-example-board` for `com.example.board`. */
export function elementName(appName: string): string {
  return appName.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
}
