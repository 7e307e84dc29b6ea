/** For pages of apps in React 19, which the app installs. */
import {
  createElement,
  type FormEvent,
  type MouseEvent,
  type ReactElement,
  type ReactNode,
  StrictMode,
  useCallback,
  useEffect,
  useState,
} from "react";
import { createRoot } from "react-dom/client";
import type { MountPage, PageContext } from "./page-types.ts";

export interface ViewProps {
  readonly page: PageContext;
  /** The present path below the base, without query and fragment, in decoded segments: `["new"]` for `/new`, none for the base. */
  readonly segments: readonly string[];
}

/**
 * Returns the `mount` of a page (docs/interface/console.md#page-contract): it shows `view` with the look of `/sdk/app.css`, in the theme of the
 * console, and again for each path.
 */
export function mountView(view: (props: ViewProps) => ReactNode): MountPage {
  return (element, page) => {
    const showTheme = (theme: string): void => {
      element.style.colorScheme = theme;
    };
    showTheme(page.theme);
    const unwatch = page.onThemeChange(showTheme);
    const root = createRoot(element);
    root.render(createElement(StrictMode, null, createElement(Page, { page, view })));
    return () => {
      unwatch();
      root.unmount();
    };
  };
}

function Page({ page, view }: { readonly page: PageContext; readonly view: (props: ViewProps) => ReactNode }): ReactElement {
  const [path, setPath] = useState(page.path);
  useEffect(() => page.onPathChange(setPath), [page]);
  const look = createElement("link", { rel: "stylesheet", href: "/sdk/app.css", precedence: "default" });
  const segments = (/^[^?#]*/.exec(path)?.[0] ?? "").split("/").filter(Boolean).map(decoded);
  return createElement("main", { className: "app stack" }, look, createElement(view, { page, segments }));
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/**
 * Calls the backend of the app as the viewer. `body` is sent as JSON. Returns the JSON of the response, undefined for an empty one. Rejects
 * with the text of the backend if it refuses.
 */
export async function callBackend<T>(page: PageContext, method: string, path: string, body?: object): Promise<T> {
  const headers = { "content-type": "application/json" };
  const response = await page.fetch(path, { method, ...(body && { headers, body: JSON.stringify(body) }) });
  const text = await response.text();
  if (response.ok) return (text === "" ? undefined : JSON.parse(text)) as T;
  throw new Error(errorIn(text) ?? `the backend returned status ${response.status}`);
}

function errorIn(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { readonly error?: string }).error;
  } catch {
    return undefined;
  }
}

export type Loaded<T> = { readonly value: T } | { readonly error: string } | undefined;

/** What was loaded, undefined while it loads, and a function that loads it again. The former value is shown until then. */
export function useLoaded<T>(page: PageContext, path: string): readonly [Loaded<T>, () => void] {
  const [loaded, setLoaded] = useState<Loaded<T>>();
  const [round, setRound] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `round` loads again.
  useEffect(() => {
    let isCurrent = true;
    const show = (result: Loaded<T>): void => {
      if (isCurrent) setLoaded(result);
    };
    callBackend<T>(page, "GET", path).then(
      (value) => show({ value }),
      (error: Error) => show({ error: error.message }),
    );
    return () => {
      isCurrent = false;
    };
  }, [page, path, round]);
  return [loaded, useCallback(() => setRound((last) => last + 1), [])];
}

/** Shows what {@link useLoaded} loaded, else that it loads, or the error. */
export function Shown<T>(props: { readonly loaded: Loaded<T>; readonly children: (value: T) => ReactNode }): ReactNode {
  const { loaded, children } = props;
  if (loaded === undefined) return createElement("p", { role: "status" }, "Loading…");
  return "error" in loaded ? createElement("p", { role: "alert" }, loaded.error) : children(loaded.value);
}

/** A link to another view of the page: without a load of the document, and with an address that can be opened in a tab. */
export function PageLink(props: {
  readonly page: PageContext;
  /** The path below the base: empty for the base. */
  readonly to: string;
  readonly className?: string;
  readonly children: ReactNode;
}): ReactElement {
  const { page, to, className, children } = props;
  const onClick = (event: MouseEvent): void => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    page.navigate(to);
  };
  return createElement("a", { href: page.basePath + to, onClick, className }, children);
}

/** A button that does its work once at a time. An error is shown to the viewer as a message of the console. */
export function WorkButton(props: {
  readonly page: PageContext;
  readonly work: () => Promise<unknown>;
  /** `primary`, `danger` or `link`. */
  readonly className?: string;
  readonly children: ReactNode;
}): ReactElement {
  const { page, work, className, children } = props;
  const [isBusy, setBusy] = useState(false);
  const onClick = (): void => {
    setBusy(true);
    work()
      .catch((error: Error) => page.notify(error.message, "error"))
      .finally(() => setBusy(false));
  };
  return createElement("button", { type: "button", disabled: isBusy, onClick, className }, children);
}

/**
 * A form in a card. `send` gets the values of its fields by name. An error is shown above the button, and the form can be sent again; after
 * a success it is empty. `cancel` is a second button or a link.
 */
export function SendForm(props: {
  readonly send: (fields: Readonly<Record<string, string>>) => Promise<unknown>;
  readonly submit: string;
  readonly cancel?: ReactNode;
  readonly children: ReactNode;
}): ReactElement {
  const { send, submit, cancel, children } = props;
  const [error, setError] = useState<string>();
  const [isSending, setSending] = useState(false);
  const onSubmit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = event.currentTarget;
    const fields: Record<string, string> = {};
    for (const [name, value] of new FormData(form)) if (typeof value === "string") fields[name] = value;
    setSending(true);
    setError(undefined);
    send(fields)
      .then(
        () => form.reset(),
        (cause: Error) => setError(cause.message),
      )
      .finally(() => setSending(false));
  };
  return createElement(
    "form",
    { className: "card stack", onSubmit },
    children,
    error === undefined ? null : createElement("p", { role: "alert" }, error),
    createElement(
      "div",
      { className: "row" },
      createElement("button", { type: "submit", className: "primary", disabled: isSending }, submit),
      cancel,
    ),
  );
}
