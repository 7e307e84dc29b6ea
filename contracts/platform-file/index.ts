import { nameGrammar } from "../names/app-name.ts";

/** The name of a message with the name of one of its fields: `PlatformApp.name`. */
export type FieldName = `${string}.${string}`;

/** The fields without which an entry of a platform file means nothing. */
export const requiredFields: readonly FieldName[] = [
  "PlatformApp.name",
  "PlatformApp.version",
  "PlatformApp.manifest",
  "PlatformApp.state",
  "PlatformApproval.scope",
  "PlatformPausedSchedule.activity",
  "PlatformServiceAccount.name",
  "PlatformTrustedPipeline.account",
  "PlatformTrustedPipeline.provider",
  "PlatformTrustedPipeline.apps",
  "PlatformGrant.subject",
];

/** What the texts of fields match. */
export const fieldPatterns: Readonly<Record<FieldName, string>> = {
  "PlatformApp.name": `^${nameGrammar}$`,
  "PlatformApp.manifest": "^[0-9a-f]{64}$",
  "PlatformApp.certificate": "^[0-9a-f]{64}$",
  "PlatformApp.secrets": "^[A-Za-z_][A-Za-z0-9_]*$",
  "PlatformTrustedPipeline.repository_id": "^[0-9]+$",
  "PlatformAccountGrant.level": "^(owner|editor|viewer)$",
  "PlatformGrant.level": "^(owner|editor|viewer)$",
};
