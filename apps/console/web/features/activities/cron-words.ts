import cronstrue from "cronstrue";
import "cronstrue/locales/de.js";
import { language } from "../../i18n.ts";

/** Returns when a cron expression is due, in words of the person's language. Undefined for one that cannot be read. */
export function cronWords(cron: string): string | undefined {
  try {
    return cronstrue.toString(cron, { locale: language, use24HourTimeFormat: true });
  } catch {
    return undefined;
  }
}
