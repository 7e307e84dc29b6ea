import type { Severity, SystemEventType } from "../generated/graphql.ts";

/** An event of the bus, as far as people see it. */
export interface BusEvent {
  readonly type: string;
  readonly subject: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** An event as people read it. */
export interface SystemEventView {
  readonly type: SystemEventType;
  readonly severity: Severity;
  /** One sentence. */
  readonly message: string;
  /** Fields of the body. Never contains the data of hooks or values of settings. */
  readonly data: Readonly<Record<string, unknown>>;
  /** False for frequent events: there may be thousands each second, and deliveries and runs have lists of their own. */
  readonly isListed: boolean;
}

const unlisted: ReadonlySet<SystemEventType> = new Set(["HOOK_TRIGGERED", "ACTIVITY_EXECUTED"]);

const incidentFields = ["incidentId", "kind", "subject"];

type Present = (body: Readonly<Record<string, unknown>>, app: string) => SystemEventView;

/** How each type of event on the bus is shown. The others are only for programs. */
const presentations: Readonly<Record<string, Present>> = {
  "app.registered": (body, app) =>
    shown("APP_REGISTERED", "INFO", `${app} ${text(body["version"])} was registered`, pick(body, ["version", "isUpdate"])),
  "app.installed": (body, app) =>
    shown(
      "APP_INSTALLED",
      "INFO",
      `${app} ${text(body["version"])} was installed`,
      pick(body, ["version", "image", "generation"]),
    ),
  "app.uninstalled": (body, app) =>
    shown("APP_UNINSTALLED", "INFO", `${app} was uninstalled`, pick(body, ["version", "purgeData"])),
  "app.state_changed": stateChange,
  "app.enabled": (_, app) => shown("APP_STATE_CHANGED", "INFO", `${app} was enabled`, {}),
  "app.disabled": (_, app) => shown("APP_STATE_CHANGED", "INFO", `${app} was disabled`, {}),
  "app.upgrade_started": (body, app) =>
    shown(
      "APP_UPGRADE_STARTED",
      "INFO",
      `${app} begins to change from version ${text(body["fromVersion"])} to ${text(body["toVersion"])}`,
      pick(body, ["kind", "fromVersion", "toVersion", "generation"]),
    ),
  "app.upgraded": (body, app) =>
    shown(
      "APP_UPGRADED",
      "INFO",
      `${app} has version ${text(body["toVersion"])}`,
      pick(body, ["fromVersion", "toVersion", "revision"]),
    ),
  "app.rolled_back": rollback,
  "app.key_replaced": (body, app) =>
    shown("APP_KEY_REPLACED", "WARNING", `the key of ${app} was replaced`, pick(body, ["keyFingerprint"])),
  "app.deleted": (_, app) => shown("APP_DELETED", "INFO", `the registration of ${app} was deleted`, {}),
  "deployment.state_changed": deploymentChange,
  "hook.triggered": (body) =>
    shown(
      "HOOK_TRIGGERED",
      "INFO",
      `the hook ${text(body["hookName"])} was triggered`,
      pick(body, ["hookId", "hookName", "sourceApp"]),
    ),
  "hook.dead_lettered": deadLetter,
  "activity.executed": activityEnd,
  "settings.updated": (body, app) =>
    shown("SETTINGS_UPDATED", "INFO", `settings of ${app} were changed: ${list(body["keys"])}`, pick(body, ["keys"])),
  "permission.approved": (body, app) =>
    shown(
      "PERMISSION_APPROVED",
      "INFO",
      `permissions of ${app} were approved: ${scopeList(body["scopes"])}`,
      pick(body, ["scopes"]),
    ),
  "access.requested": accessRequest,
  "access.decided": (body, app) =>
    shown(
      "ACCESS_DECIDED",
      "INFO",
      `${text(body["subject"])} ${body["isGranted"] === true ? "was given" : "was not given"} ${text(body["access"])} of ${app}`,
      pick(body, ["requestId", "subject", "access", "isGranted"]),
    ),
  "backup.completed": () => shown("BACKUP_COMPLETED", "INFO", "a backup of the platform is complete", {}),
  "backup.failed": (body) =>
    shown("BACKUP_FAILED", "ERROR", `a backup of the platform failed: ${text(body["error"])}`, pick(body, ["error"])),
  "incident.opened": (body) => shown("INCIDENT_OPENED", "ERROR", text(body["message"]), pick(body, incidentFields)),
  "incident.closed": (body) => shown("INCIDENT_CLOSED", "INFO", text(body["message"]), pick(body, incidentFields)),
  "circuit.opened": (body, app) =>
    shown(
      "CIRCUIT_OPENED",
      "WARNING",
      `requests to ${app} are refused for a while: ${text(body["reason"])}`,
      pick(body, ["replica", "reason", "failures", "requests"]),
    ),
  "circuit.closed": (body, app) =>
    shown("CIRCUIT_CLOSED", "INFO", `requests to ${app} are forwarded again`, pick(body, ["replica"])),
};

/** The types of events on the bus that people see. */
export const systemEventSources: readonly string[] = Object.keys(presentations);

/** Returns the event as people read it. Undefined if it is only for programs. */
export function systemEventOf({ type, subject, body }: BusEvent): SystemEventView | undefined {
  return presentations[type]?.(body, subject);
}

function stateChange(body: Readonly<Record<string, unknown>>, app: string): SystemEventView {
  const [from, to] = [text(body["from"]), text(body["to"])];
  const hasRecovered = to === "RUNNING" && (from === "UNHEALTHY" || from === "FAILED");
  const severity = to === "FAILED" ? "ERROR" : to === "UNHEALTHY" ? "WARNING" : "INFO";
  const reason = text(body["reason"]);
  return shown(
    hasRecovered ? "APP_RECOVERED" : "APP_STATE_CHANGED",
    severity,
    `${app} is ${to}${reason === "" ? "" : `: ${reason}`}`,
    pick(body, ["from", "to", "reason"]),
  );
}

function accessRequest(body: Readonly<Record<string, unknown>>, app: string): SystemEventView {
  const reason = text(body["reason"]);
  const who = text(body["displayName"]) || text(body["subject"]);
  return shown(
    "ACCESS_REQUESTED",
    "INFO",
    `${who} asks for ${text(body["access"])} of ${app}${reason === "" ? "" : `: ${reason}`}`,
    pick(body, ["requestId", "subject", "access", "reason"]),
  );
}

function rollback(body: Readonly<Record<string, unknown>>, app: string): SystemEventView {
  const [from, to, reason] = [text(body["fromVersion"]), text(body["toVersion"]), text(body["reason"])];
  const isAutomatic = body["isAutomatic"] === true;
  const message = isAutomatic
    ? `${app} stays at version ${to}, because ${from} did not start: ${reason}`
    : `${app} is back at version ${to}`;
  return shown(
    "APP_ROLLED_BACK",
    isAutomatic ? "WARNING" : "INFO",
    message,
    pick(body, ["fromVersion", "toVersion", "isAutomatic", "reason"]),
  );
}

const severityOfDeployment: Readonly<Record<string, Severity>> = {
  FAILED: "ERROR",
  UNHEALTHY: "WARNING",
  RESTARTING: "WARNING",
};

function deploymentChange(body: Readonly<Record<string, unknown>>, app: string): SystemEventView {
  const to = text(body["to"]);
  const error = errorText(body["error"]);
  return shown(
    "DEPLOYMENT_STATE_CHANGED",
    severityOfDeployment[to] ?? "INFO",
    `the deployment of ${app} is ${to}${error === "" ? "" : `: ${error}`}`,
    pick(body, ["deploymentId", "from", "to", "healthStatus", "error"]),
  );
}

function deadLetter(body: Readonly<Record<string, unknown>>, app: string): SystemEventView {
  const error = errorText(body["error"]);
  return shown(
    "HOOK_DEAD_LETTERED",
    "ERROR",
    `a delivery of the hook ${text(body["hookName"])} to ${app} was given up${error === "" ? "" : `: ${error}`}`,
    pick(body, ["deliveryId", "hookId", "hookName", "sourceApp", "attempts", "error"]),
  );
}

function activityEnd(body: Readonly<Record<string, unknown>>, app: string): SystemEventView {
  const status = text(body["status"]);
  const isFine = status === "COMPLETED" || status === "CANCELED";
  const error = errorText(body["error"]);
  return shown(
    isFine ? "ACTIVITY_EXECUTED" : "ACTIVITY_FAILED",
    isFine ? "INFO" : "ERROR",
    `a run of ${text(body["activity"])} of ${app} is ${status}${error === "" ? "" : `: ${error}`}`,
    pick(body, ["activity", "runId", "status", "attempt", "durationMs", "error"]),
  );
}

function shown(
  type: SystemEventType,
  severity: Severity,
  message: string,
  data: Readonly<Record<string, unknown>>,
): SystemEventView {
  return { type, severity, message, data, isListed: !unlisted.has(type) };
}

function pick(body: Readonly<Record<string, unknown>>, fields: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(fields.flatMap((field) => (body[field] === undefined ? [] : [[field, body[field]]])));
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function list(value: unknown): string {
  return Array.isArray(value) ? value.map(text).join(", ") : "";
}

function scopeList(scopes: unknown): string {
  return Array.isArray(scopes) ? scopes.map(scopeOf).join(", ") : "";
}

/** The body of an event is read as it was received, so any field may be missing. */
function scopeOf(value: unknown): string {
  const { scope, owner }: { scope?: unknown; owner?: unknown } = typeof value === "object" && value !== null ? value : {};
  return typeof owner === "string" ? `${text(scope)} of ${owner}` : text(scope);
}

function errorText(error: unknown): string {
  return typeof error === "object" && error !== null && "message" in error ? text(error.message) : "";
}
