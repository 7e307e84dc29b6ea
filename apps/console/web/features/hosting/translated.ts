import { language } from "../../i18n.ts";

interface Translation {
  readonly displayName?: string | null;
  readonly description?: string | null;
  readonly titles?: Readonly<Record<string, string>>;
}

interface Entry {
  readonly title: string;
  readonly children?: readonly Entry[] | undefined;
}

interface Translatable {
  readonly displayName: string;
  readonly description?: string | null | undefined;
  readonly translations: unknown;
  readonly navigation?: readonly Entry[] | undefined;
}

/** Returns an app with its texts in the language of the page, as far as its manifest has them. */
export function translated<App extends Translatable>(app: App, to: string = language): App {
  const translation = (app.translations as Readonly<Record<string, Translation>>)[to];
  if (translation === undefined) return app;
  const { displayName, description, titles = {} } = translation;
  return {
    ...app,
    displayName: displayName ?? app.displayName,
    ...(app.description !== undefined && { description: description ?? app.description }),
    ...(app.navigation && { navigation: entriesIn(app.navigation, titles) }),
  };
}

function entriesIn(entries: readonly Entry[], titles: Readonly<Record<string, string>>): readonly Entry[] {
  return entries.map((entry) => ({
    ...entry,
    title: Object.hasOwn(titles, entry.title) ? (titles[entry.title] ?? entry.title) : entry.title,
    ...(entry.children && { children: entriesIn(entry.children, titles) }),
  }));
}
