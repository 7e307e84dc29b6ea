import { Rejection } from "@appserver/kernel";

/** What is said for each reason (docs/interface/proxy.md#paths): states of apps, and what stops a running one. */
const sentences: Readonly<Record<string, string>> = {
  disabled: "an administrator has disabled it",
  starting: "it is starting",
  misconfigured: "the platform cannot read its stored routes",
  secret_unreadable: "the platform cannot read its secret",
  upgrading: "it is being upgraded",
  asleep: "it is asleep",
  waking: "it is starting after its sleep",
  upgraded: "it was upgraded while the request waited",
  uninstalled: "it is not installed any more",
  installing: "it is being installed",
  installed: "its backend has not become healthy yet",
  unhealthy: "its health check fails",
  failed: "it could not be started",
  uninstalling: "it is being uninstalled",
};

export interface Unavailable {
  readonly reason: string;
  readonly retryAfterSeconds: number;
  /** What browsers are shown instead. */
  readonly page?: string | undefined;
}

/** Returns the rejection of requests to an installed app that does not serve. */
export function unavailable({ reason, retryAfterSeconds, page }: Unavailable): Rejection {
  const message = `The app does not serve at the moment: ${sentences[reason] ?? reason}.`;
  return new Rejection("SERVICE_UNAVAILABLE", "app_unavailable", message, {
    retryAfterSeconds,
    details: { reason, retry_after: retryAfterSeconds },
    page,
  });
}
