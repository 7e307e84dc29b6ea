import { defineConfig } from "@lingui/conf";
import { formatter } from "@lingui/format-po";

/** Texts in the code are English and the keys of the catalogues. `npm run generate` collects them. */
export default defineConfig({
  sourceLocale: "en",
  locales: ["en", "de"],
  catalogs: [{ path: "<rootDir>/web/locales/{locale}", include: ["web"], exclude: ["web/generated/**"] }],
  format: formatter({ origins: false }),
  orderBy: "message",
});
