import { i18n } from "../i18n.ts";

/** Returns why an attempt of a delivery failed. Sentences of the platform are in the language of the page. */
export function deliveryError(message: string): string {
  const [, status] = /^the [\w ]+ responded with (\d{3})(?::.*)?$/.exec(message) ?? [];
  if (status === "410") return i18n.t("The recipient responded with 410: the subscription is disabled");
  if (status !== undefined) return i18n.t("The recipient responded with {status}", { status });
  return message.charAt(0).toUpperCase() + message.slice(1);
}
