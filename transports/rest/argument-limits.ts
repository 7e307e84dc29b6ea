import { grantableSubject, readableSubject } from "@appserver/contracts/authorization";
import { appNameLimit, hookNameLimit, nameGrammar } from "@appserver/contracts/names";

const page = { minimum: 1, maximum: 250 };

/**
 * What the use cases require of arguments beyond the types of the GraphQL schema, in JSON Schema: by the name of an argument, or
 * by that of its field and its own. Arguments in the path have none: a caller without the permission gets 403 whatever it names.
 */
const limits: Readonly<Record<string, object>> = {
  first: page,
  "people.first": { ...page, maximum: 50 },
  "people.search": { maxLength: 256 },
  "requests.first": { ...page, maximum: 100 },
  "requests.minStatus": { minimum: 100, maximum: 599 },
  "requests.slowerThanMs": { minimum: 0 },
  "metrics.minutes": { minimum: 1, maximum: 1_440 },
  "appLogs.instance": { minLength: 1, maxLength: 128, pattern: "^[A-Za-z0-9_.-]+$" },
  "appLogs.tail": { minimum: 0, maximum: 1_000 },
  "permissionHolders.appName": { maxLength: appNameLimit, pattern: `^${nameGrammar}$` },
  "triggerActivity.idempotencyKey": { minLength: 1, maxLength: 255 },
};

const tuple = {
  user: { pattern: `^(${grantableSubject}|user:\\*)$`, examples: ["user:example"] },
  relation: { enum: ["assignee", "owner", "editor", "viewer", "holder"] },
  object: { pattern: "^[a-z_]+:\\S+$", examples: ["role:example"] },
};
const tokenScope = { minItems: 1, maxItems: 50, examples: ["app:view", "com.example.notes/notes:read", "com.example.notes/*"] };
const hookName = { maxLength: hookNameLimit, pattern: `^${nameGrammar}$`, examples: ["app.maintenance"] };
const cursor = { pattern: "^[A-Za-z0-9_-]*$", description: "`nextCursor` of the page before; any other text is refused" };

/**
 * What the use cases themselves check of an argument, or of each item of a list, after the permission: for the OpenAPI document only, so that a caller without the permission gets
 * 403 whatever it sends.
 */
const documentedLimits: Readonly<Record<string, object>> = {
  after: cursor,
  "activitySchedules.after": { format: "uuid" },
  "auditLog.outcome": { enum: ["success", "denied", "failure"] },
  "cloneApp.as": { maxLength: appNameLimit, pattern: `^${nameGrammar}$`, examples: ["com.example.notes-yesterday"] },
  "createServiceAccount.name": { pattern: "^[a-z0-9](?:[a-z0-9._-]{0,61}[a-z0-9])?$" },
  "createNotificationTarget.name": { pattern: "^[a-z0-9](?:[a-z0-9._-]{0,61}[a-z0-9])?$" },
  "createNotificationTarget.url": { maxLength: 2_000, examples: ["https://example.com/events"] },
  "createNotificationTarget.addresses": { minItems: 1, maxItems: 20, examples: ["team@example.com"] },
  "createNotificationTarget.types": { minItems: 1 },
  "updateNotificationTarget.name": { pattern: "^[a-z0-9](?:[a-z0-9._-]{0,61}[a-z0-9])?$" },
  "updateNotificationTarget.url": { maxLength: 2_000, examples: ["https://example.com/events"] },
  "updateNotificationTarget.addresses": { minItems: 1, maxItems: 20, examples: ["team@example.com"] },
  "createServiceAccount.grants": { examples: [{ relation: "assignee", object: "role:example" }] },
  "createServiceAccount.scopes": tokenScope,
  "createServiceAccountToken.scopes": tokenScope,
  "grantAccess.user": tuple.user,
  "grantAccess.relation": tuple.relation,
  "grantAccess.object": tuple.object,
  "revokeAccess.user": tuple.user,
  "revokeAccess.relation": tuple.relation,
  "revokeAccess.object": tuple.object,
  "subjects.ids": { maxItems: 100, examples: ["user:alice"] },
  "markMessagesRead.ids": { maxItems: 200 },
  "requestAccess.appName": { maxLength: appNameLimit, pattern: `^${nameGrammar}$`, examples: ["com.example.notes"] },
  "requestAccess.access": {
    maxLength: 127,
    pattern: `^(viewer|editor|owner|${nameGrammar}:${nameGrammar})$`,
    examples: ["viewer", "notes:read"],
  },
  "requestAccess.reason": { maxLength: 200, pattern: "^[^\\u0000-\\u001f\\u007f-\\u009f]*$" },
  "heldPermissions.subject": {
    pattern: `^${readableSubject}$`,
    examples: ["user:alice"],
  },
  "trustPipeline.account": { examples: ["ci"] },
  "trustPipeline.apps": { minItems: 1, maxItems: 20, examples: ["com.example.notes"] },
  "trustPipeline.repository": { maxLength: 255, pattern: "^[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)+$", examples: ["acme/notes"] },
  "trustPipeline.repositoryId": { maxLength: 255, pattern: "^\\d+$", examples: ["123"] },
  "trustPipeline.ref": {
    maxLength: 255,
    pattern: "^refs/(?:heads/[^*]+|tags/[^*]+\\*?|tags/\\*)$",
    examples: ["refs/heads/main"],
  },
  "trustPipeline.issuer": { maxLength: 255, examples: ["https://ci.example.com"] },
  "trustPipeline.audience": { minLength: 1, maxLength: 255 },
  "trustPipeline.environment": { minLength: 1, maxLength: 255 },
  "trustPipeline.claims": { maxItems: 10, examples: [{ name: "sub", value: "pipeline:1" }] },
  "invitePerson.email": { maxLength: 254, examples: ["ada@example.com"] },
  "invitePerson.name": { maxLength: 100, pattern: "^[^\\u0000-\\u001f\\u007f-\\u009f]*$" },
  "invitePerson.roles": { maxItems: 20 },
  "invitePerson.validHours": { minimum: 1, maximum: 720 },
  "hookDeliveries.eventId": { format: "uuid" },
  "notificationDeliveries.targetId": { format: "uuid" },
  "permissionHolders.permission": { maxLength: 127, pattern: `^${nameGrammar}:${nameGrammar}$`, examples: ["app:view"] },
  "recoverHookDeliveries.hookName": hookName,
  "replaceKey.certificate": { pattern: "-----BEGIN CERTIFICATE-----" },
  "scheduleActivity.cron": { examples: ["0 3 * * *"] },
  "scheduleActivity.intervalSeconds": { minimum: 1 },
  "scheduleActivity.key": { maxLength: 255, pattern: "^([^@\\u0000][^\\u0000]*)?$" },
  "scheduleActivity.timezone": { examples: ["UTC", "Europe/Berlin"] },
  "trace.id": { pattern: "^[A-Za-z0-9._-]{1,64}$" },
  "triggerHook.name": hookName,
  "triggerHook.orderingKey": { minLength: 1, maxLength: 255, pattern: "^[^\\u0000-\\u001f\\u007f-\\u009f]*$" },
};

/** The names of {@link argumentLimits} and {@link documentedArgumentLimits}. */
export const limitedArguments: readonly string[] = [...Object.keys(limits), ...Object.keys(documentedLimits)];

/** Returns what the OpenAPI document says of an argument beyond the schema that checks it. */
export function documentedArgumentLimits(field: string, argument: string): object | undefined {
  return documentedLimits[`${field}.${argument}`] ?? documentedLimits[argument];
}

/** Returns the limits of an argument, as keywords of JSON Schema. */
export function argumentLimits(field: string, argument: string): object {
  return limits[`${field}.${argument}`] ?? limits[argument] ?? {};
}
