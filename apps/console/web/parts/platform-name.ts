import { i18n } from "../i18n.ts";

/** The name of the platform, which the server writes into the page (docs/interface/branding.md). */
export function platformName(): string {
  return document.querySelector<HTMLMetaElement>("meta[name=application-name]")?.content || i18n.t("Appserver");
}
