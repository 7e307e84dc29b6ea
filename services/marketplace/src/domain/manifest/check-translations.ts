import { characterCount, quote } from "@appserver/contracts/patterns";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { lineProblem } from "@appserver/kernel";
import { manifestLimits } from "./manifest-limits.ts";
import type { Violations } from "./violations.ts";

const tag = /^[a-z]{2,3}(?:-[A-Z]{2})?$/;

/** Checks the texts in other languages (docs/interface/manifest.md#translations). */
export function checkTranslations({ translations }: AppManifest, violations: Violations): void {
  for (const [language, { displayName, description, titles }] of Object.entries(translations)) {
    const field = `translations.${language}`;
    if (!violations.check(tag.test(language), "translations", `has no language ${quote(language)}: write de or pt-BR`))
      continue;
    checkLine(`${field}.display_name`, displayName, manifestLimits.displayNameLength, violations);
    checkLine(`${field}.description`, description, manifestLimits.descriptionLength, violations);
    const translated = Object.entries(titles);
    const most = manifestLimits.navigationEntries;
    if (
      !violations.check(
        translated.length <= most,
        `${field}.titles`,
        `has ${translated.length} titles, at most ${most} are accepted`,
      )
    )
      continue;
    for (const [title, text] of translated) {
      violations.check(text !== "", `${field}.titles`, `has no text for ${quote(title)}`);
      checkLine(`${field}.titles`, text, manifestLimits.navigationTitleLength, violations);
    }
  }
}

function checkLine(field: string, text: string, most: number, violations: Violations): void {
  violations.check(characterCount(text) <= most, field, `must have at most ${most} characters`);
  const problem = lineProblem(text);
  if (problem !== undefined) violations.add(field, problem);
}
