import { resolve } from "node:path";

const consoleFolder = resolve(import.meta.dirname, "../../apps/console");

/**
 * Generates the catalogue of a language of the console: the texts of its code in the order of the alphabet, with the translations that the
 * file already has. A text that is new has none, which a test of the console refuses.
 */
export async function generateConsoleCatalogue(locale: string): Promise<string> {
  const [{ getCatalogs }, { getConfig }] = await Promise.all([import("@lingui/cli/api"), import("@lingui/conf")]);
  const config = getConfig({ configPath: resolve(consoleFolder, "lingui.config.ts") });
  const [catalogue] = await getCatalogs(config);
  const found = await catalogue?.collect();
  if (!catalogue || !found) throw new Error("the texts of the console could not be read");
  const before = (await catalogue.read(locale)) ?? {};
  const ids = Object.keys(found).sort();
  const messages = Object.fromEntries(
    ids.map((id) => [id, { ...found[id], translation: before[id]?.translation ?? "", obsolete: false }]),
  );
  const text = await config.format?.serialize(messages, {
    locale,
    sourceLocale: config.sourceLocale,
    filename: `${locale}.po`,
    existing: undefined,
  });
  if (text === undefined) throw new Error("the catalogues of the console have no format");
  return text;
}
