/** What scripts in pages find beside what Node has too, as far as tests use it. */
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
  /** Set by the hostile script where it runs: the origin that it ran for. */
  readonly ran: string | undefined;
}

interface PageFrame {
  src: string;
  readonly contentDocument: { readonly documentElement: { readonly outerHTML: string } } | null;
  addEventListener(event: "load", listener: (event: unknown) => void): void;
}
