import { i18n } from "../i18n.ts";

/** The constants of the API that the console shows. */
const constants: Readonly<Record<string, string>> = {
  ACTIVE: i18n.t("Active"),
  ASLEEP: i18n.t("Asleep"),
  CANCELED: i18n.t("Canceled"),
  CLOSED: i18n.t("Closed"),
  COMPLETED: i18n.t("Completed"),
  CRASHED: i18n.t("Crashed"),
  CREATING: i18n.t("Creating"),
  DEAD: i18n.t("Undelivered"),
  DELAYED: i18n.t("Delayed"),
  DELIVERED: i18n.t("Delivered"),
  DISABLED: i18n.t("Disabled"),
  DROPPED: i18n.t("Dropped"),
  ERROR: i18n.t("Error"),
  EXPIRED: i18n.t("Expired"),
  FAILED: i18n.t("Failed"),
  HALF_OPEN: i18n.t("Half open"),
  HEALTHY: i18n.t("Healthy"),
  INFO: i18n.t("Info"),
  INSTALLED: i18n.t("Installed"),
  INSTALLING: i18n.t("Installing"),
  INVITED: i18n.t("Invited"),
  OPEN: i18n.t("Open circuit"),
  PENDING: i18n.t("Pending"),
  PULLING: i18n.t("Pulling"),
  QUEUED: i18n.t("Queued"),
  REGISTERED: i18n.t("Registered"),
  REQUESTED: i18n.t("Requested"),
  RESTARTING: i18n.t("Restarting"),
  RETRYING: i18n.t("Retrying"),
  RUNNING: i18n.t("Running"),
  SENDING: i18n.t("Sending"),
  STARTING: i18n.t("Starting"),
  STOPPED: i18n.t("Stopped"),
  STOPPING: i18n.t("Stopping"),
  SUCCESS: i18n.t("Success"),
  TIMED_OUT: i18n.t("Timed out"),
  UNHEALTHY: i18n.t("Unhealthy"),
  UNINSTALLED: i18n.t("Uninstalled"),
  UNINSTALLING: i18n.t("Uninstalling"),
  UNKNOWN: i18n.t("Unknown"),
  WARNING: i18n.t("Warning"),
  debug: i18n.t("Debug"),
  denied: i18n.t("Denied"),
  error: i18n.t("Error"),
  failure: i18n.t("Failure"),
  fatal: i18n.t("Fatal"),
  info: i18n.t("Info"),
  success: i18n.t("Success"),
  trace: i18n.t("Trace"),
  warn: i18n.t("Warning"),
};

/** Returns a constant of the API in the language of the page, or a text with a capital at its beginning. */
export function words(text: string): string {
  const known = Object.hasOwn(constants, text) ? constants[text] : undefined;
  if (known !== undefined) return known;
  const spaced = /^[A-Z][A-Z_]+$/.test(text) ? text.replaceAll("_", " ").toLowerCase() : text;
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** Returns the choices of a list of constants, shown as words. */
export function choicesOf(values: readonly string[]): { value: string; label: string }[] {
  return values.map((value) => ({ value, label: words(value) }));
}
