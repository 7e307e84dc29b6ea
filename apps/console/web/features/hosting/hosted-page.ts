import type { PageTheme } from "@appserver/sdk/page";

/** A page that is shown. */
export interface HostedPage {
  setPath(path: string): void;
  setTheme(theme: PageTheme): void;
  close(): void;
}

export interface PageEvents {
  mounted(): void;
  failed(message: string): void;
}
