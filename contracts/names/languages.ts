/** The languages of the console, each by its own name. The first is the one of the texts in its code; the others have a catalogue. */
export const languages = { en: "English", de: "Deutsch" } as const;

export type Language = keyof typeof languages;

/** Has the language that the person has chosen in this browser. Without it, the browser's preference decides. */
export const languageCookie = "appserver_language";

export function isLanguage(text: string): text is Language {
  return Object.hasOwn(languages, text);
}
