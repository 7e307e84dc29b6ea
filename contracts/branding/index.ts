import type { HexColour } from "./accent.ts";
import type { Logo } from "./logo.ts";

export {
  accentShades,
  contrastOf,
  type HexColour,
  isHexColour,
  minContrast,
  readableAccent,
  textContrast,
} from "./accent.ts";
export { type Logo, type LogoType, logoTypeOf, maxLogoBytes } from "./logo.ts";

/** What the pages and the mail of the platform show of those who run it (docs/interface/branding.md). */
export interface Branding {
  /** The name in the top bar, in titles and in mail. */
  readonly name: string;
  /** Undefined for the logo of Appserver. */
  readonly logo?: Logo | undefined;
  /** Undefined for the colour of Appserver. White text is readable on it. */
  readonly accent?: HexColour | undefined;
}

/** The cookie in which the console keeps the theme that a person chose, for pages without scripts: `light` or `dark`. */
export const themeCookie = "appserver-theme";

/** The paths of what every page of the platform shows. */
export const brandingPaths = {
  /** Custom properties: colours of both themes, sizes. */
  tokens: "/branding/tokens.css",
  /** The same, and the styles of pages without an application. */
  page: "/branding/page.css",
  /** The same, and the styles of pages of apps (docs/interface/app-look.md). */
  app: "/sdk/app.css",
  logo: "/branding/logo",
} as const;
