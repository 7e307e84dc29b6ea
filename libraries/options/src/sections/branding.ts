import { defineSection } from "../schema.ts";
import { accentColour, logoFile } from "../types/branding-types.ts";
import { matching } from "../types/plain-types.ts";

/** Name, logo and colour of the platform (docs/interface/branding.md). */
export const brandingSection = defineSection({
  yaml: "branding",
  doc: "The name, logo and colour that the pages and the mail of the platform show.",
  options: {
    name: {
      env: "APPSERVER_BRANDING_NAME",
      yaml: "name",
      type: matching(
        /^(?! )[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{1,40}(?<! )$/u,
        "at most 40 characters, without control characters and outer spaces",
      ),
      default: "Appserver",
      doc: "Name of the platform in the top bar, in the titles of browser tabs and in the subjects of mail",
    },
    logo: {
      env: "APPSERVER_BRANDING_LOGO",
      yaml: "logo",
      type: logoFile,
      doc: "Path of a square picture, SVG, PNG or WebP, that the platform serves at `/branding/logo`. Scripts in it do not run",
    },
    accent: {
      env: "APPSERVER_BRANDING_ACCENT",
      yaml: "accent",
      type: accentColour,
      doc: "Colour of links, main buttons and the current entry of menus. Shades for both themes are derived from it",
    },
  },
});
