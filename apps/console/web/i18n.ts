import { isLanguage, type Language, languageCookie } from "@appserver/contracts/languages";
import { i18n } from "@lingui/core";
import { compileMessage } from "@lingui/message-utils/compileMessage";

/** Tests of single modules run without a browser. */
declare const document: { readonly documentElement: { lang: string }; cookie: string } | undefined;
declare const location: { readonly protocol: string; reload(): void };

/** A constant of the build. */
declare const __LANGUAGE__: Language;
const isBuilt = typeof __LANGUAGE__ !== "undefined";

/** Of the texts: the console is built once for each language. The server sends the one of {@link chosenLanguage}, or of the browser. */
export const language: Language = isBuilt ? __LANGUAGE__ : "en";

/** For numbers and times: the region of the browser, if its language is that of the page. */
export const locale: string =
  (typeof document === "undefined" ? [] : navigator.languages).find((tag) => tag.toLowerCase().startsWith(language)) ??
  language;

// The build has compiled the texts.
i18n.setMessagesCompiler(isBuilt ? (text) => [text] : compileMessage);
i18n.load(language, {});
i18n.activate(language);

export { i18n };

/** Keeps the choice in this browser, and shows the page again in the language. Undefined: that of the browser. */
export function chooseLanguage(chosen: Language | undefined): void {
  if (typeof document === "undefined") return;
  const lasts = chosen === undefined ? 0 : 365 * 24 * 3600;
  const secure = location.protocol === "https:" ? ";secure" : "";
  document.cookie = `${languageCookie}=${chosen ?? ""};path=/;samesite=lax;max-age=${lasts}${secure}`;
  location.reload();
}

export function chosenLanguage(): Language | undefined {
  if (typeof document === "undefined") return;
  const stored = document.cookie.split("; ").find((cookie) => cookie.startsWith(`${languageCookie}=`));
  const chosen = stored?.slice(languageCookie.length + 1);
  return chosen !== undefined && isLanguage(chosen) ? chosen : undefined;
}
