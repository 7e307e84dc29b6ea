/// <reference path="./locales/po.d.ts" />
import { i18n } from "@lingui/core";
import { compileMessage } from "@lingui/message-utils/compileMessage";

/** Tests of single modules run without a browser. */
declare const document: { readonly documentElement: { lang: string } } | undefined;
declare const location: { reload(): void };

/** The languages of the console, each by its own name. Texts in the code are English; the others have a catalogue in `locales`. */
export const languages = { en: "English", de: "Deutsch" } as const;

export type Language = keyof typeof languages;

const storageKey = "appserver-language";

/** The language that the person has chosen, or else the first of the browser's that the console has. */
export const language: Language = typeof document === "undefined" ? "en" : (chosenLanguage() ?? preferred(navigator.languages));

/** For numbers and times: the region of the browser, if its language is that of the page. */
export const locale: string =
  (typeof document === "undefined" ? [] : navigator.languages).find((tag) => tag.toLowerCase().startsWith(language)) ??
  language;

// The texts in the code have no catalogue that is compiled.
i18n.setMessagesCompiler(compileMessage);
i18n.load(language, await catalogueOf(language));
i18n.activate(language);
if (typeof document !== "undefined") document.documentElement.lang = language;

export { i18n };

/** Keeps the choice in this browser, and shows the page again in the language. Undefined: that of the browser. */
export function chooseLanguage(chosen: Language | undefined): void {
  if (chosen === undefined) localStorage.removeItem(storageKey);
  else localStorage.setItem(storageKey, chosen);
  location.reload();
}

export function chosenLanguage(): Language | undefined {
  const stored = readChoice();
  return stored !== null && isLanguage(stored) ? stored : undefined;
}

/** The frame of an app's page has no storage. */
function readChoice(): string | null {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    return null;
  }
}

function preferred(wanted: readonly string[]): Language {
  return wanted.map((tag) => tag.toLowerCase().split("-", 1)[0] ?? "").find(isLanguage) ?? "en";
}

function isLanguage(text: string): text is Language {
  return Object.hasOwn(languages, text);
}

async function catalogueOf(of: Language) {
  return of === "de" ? (await import("./locales/de.po")).messages : {};
}
