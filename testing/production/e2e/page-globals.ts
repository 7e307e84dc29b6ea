/** The globals of pages that Node does not have, as far as the tests use them. */
export interface PageGlobals {
  readonly origin: string;
  readonly location: { readonly href: string };
  readonly localStorage: object;
  readonly navigator: {
    readonly serviceWorker: { register(url: string, options: { readonly scope: string }): Promise<unknown> };
  };
  readonly document: {
    cookie: string;
    readonly body: { innerHTML: string };
    readonly documentElement: { append(node: PageFrame): void };
    readonly forms: readonly { submit(): void }[];
    createElementNS(namespace: string, name: string): PageFrame;
  };
  getComputedStyle(element: unknown): { readonly backgroundColor: string; readonly fontSize: string };
  /** Set by the hostile script when it runs: the origin in which it ran. */
  readonly ran: string | undefined;
}

interface PageFrame {
  src: string;
  readonly contentDocument: { readonly documentElement: { readonly outerHTML: string } } | null;
  addEventListener(event: "load", listener: (event: unknown) => void): void;
}
