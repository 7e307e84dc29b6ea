import { defineConfig } from "@lingui/conf";
import { formatter } from "@lingui/format-po";

/** Texts in the code are English and the keys of the catalogues. `npm run generate` collects them. */
export default defineConfig({
  sourceLocale: "en",
  locales: ["en", "de"],
  catalogs: [{ path: "<rootDir>/web/locales/{locale}", include: ["<rootDir>/web"], exclude: ["<rootDir>/web/generated/**"] }],
  // The header has no time, so that equal texts make equal files.
  format: formatter({ origins: false, explicitIdAsDefault: true, customHeaderAttributes: { "POT-Creation-Date": "" } }),
  orderBy: "message",
});
