import { i18n } from "../../i18n.ts";

/** Why a request was not served or was aborted, by the `reasonId` of the log (docs/interface/proxy.md#log-line). */
const reasons: Readonly<Record<string, string>> = {
  app_disabled: i18n.t("The app is disabled"),
  app_unavailable: i18n.t("The app does not run"),
  app_unknown: i18n.t("There is no such app"),
  apps_unloaded: i18n.t("The platform has just started"),
  authorization_unavailable: i18n.t("Permissions could not be checked"),
  body_timeout: i18n.t("The body came too late"),
  body_too_large: i18n.t("The body is too large"),
  circuit_open: i18n.t("The app failed too often"),
  client_gone: i18n.t("The caller went away"),
  credentials_malformed: i18n.t("The credentials are malformed"),
  credentials_missing: i18n.t("Not signed in"),
  cross_site: i18n.t("Sent by a page of another site"),
  head_too_large: i18n.t("The headers are too large"),
  identity_unavailable: i18n.t("The sign-in service did not respond"),
  internal: i18n.t("An error of the platform"),
  method_not_allowed: i18n.t("The route has no such method"),
  permission_denied: i18n.t("The caller lacks the permission"),
  rate_limited: i18n.t("Too many requests"),
  replay_memory_full: i18n.t("Too many signed requests"),
  route_unknown: i18n.t("No route matches"),
  second_factor_required: i18n.t("A second factor is needed"),
  session_invalid: i18n.t("The session has ended"),
  signature_failures: i18n.t("Too many invalid signatures"),
  signature_invalid: i18n.t("The signature is invalid"),
  signature_replayed: i18n.t("The signature was used before"),
  slow_bodies: i18n.t("Too many slow bodies"),
  target_invalid: i18n.t("The address is invalid"),
  token_invalid: i18n.t("The token is invalid"),
  upstream_denied: i18n.t("The address of the app is not allowed"),
  upstream_protocol: i18n.t("The response of the app is not valid HTTP"),
  upstream_redirected: i18n.t("The app answered an upload with a redirection"),
  upstream_reset: i18n.t("The app closed the connection"),
  upstream_timeout: i18n.t("The app did not respond in time"),
  upstream_unreachable: i18n.t("The app was not reached"),
};

/** Returns the reason in words, or the id of one that the console does not know. */
export function reasonText(id: string): string {
  return reasons[id] ?? id;
}
