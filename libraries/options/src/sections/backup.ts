import { defineSection } from "../schema.ts";
import { listOf } from "../types/list.ts";
import { boolean, integer, matching, text } from "../types/plain-types.ts";
import { url } from "../types/url-types.ts";

/** Backups of the whole platform (docs/guides/one-machine.md#backup). */
export const backupSection = defineSection({
  yaml: "backup",
  doc: "Backups of the whole platform, by the schedule and by `appserver backup`.",
  options: {
    schedule: {
      env: "APPSERVER_BACKUP_SCHEDULE",
      yaml: "schedule",
      type: matching(/^\S+( +\S+){4}$/, "a cron expression of five fields such as 30 2 * * *"),
      doc: "When backups are made, in UTC. Without it, none is made by itself",
    },
    to: {
      env: "APPSERVER_BACKUP_TO",
      yaml: "to",
      type: text,
      doc: "Folder of backups, or `s3://<bucket>/<prefix>`",
    },
    keep: {
      env: "APPSERVER_BACKUP_KEEP",
      yaml: "keep",
      type: integer(1, 10_000),
      default: "14",
      doc: "How many backups of this installation are kept there. Older ones are deleted after a new one is complete",
    },
    passphraseFile: {
      env: "APPSERVER_BACKUP_PASSPHRASE_FILE",
      yaml: "passphrase_file",
      type: text,
      doc: "File with the passphrase of backups. A copy of it must be kept at another place: a backup is useless without it",
    },
    recipients: {
      env: "APPSERVER_BACKUP_RECIPIENTS",
      yaml: "recipients",
      type: listOf(matching(/^age1[0-9a-z]+$/, "a recipient of age such as age1…")),
      doc: "Recipients of age, in place of a passphrase: who has the identity of one of them can decrypt. This machine cannot",
    },
    images: {
      env: "APPSERVER_BACKUP_IMAGES",
      yaml: "images",
      type: boolean,
      default: "true",
      doc: "Whether the images of the platform's own registry are in a backup of `appserver up`",
    },
    databaseUrl: {
      env: "APPSERVER_BACKUP_DATABASE_URL",
      yaml: "database_url",
      type: url("postgres", "postgresql"),
      secret: true,
      doc: "A role of the platform's PostgreSQL server that may replicate, if `database.user` may not. Parts that the URL does not have are those of the platform's own connection",
    },
    appsDatabaseUrl: {
      env: "APPSERVER_BACKUP_APPS_DATABASE_URL",
      yaml: "apps_database_url",
      type: url("postgres", "postgresql"),
      secret: true,
      doc: "The same for the server of the apps' databases. Default: that of `containers.database_admin_url`",
    },
    s3Endpoint: {
      env: "APPSERVER_BACKUP_S3_ENDPOINT",
      yaml: "s3_endpoint",
      type: url("http", "https"),
      doc: "Address of the S3 server. Default: that of Amazon in the region",
    },
    s3Region: {
      env: "APPSERVER_BACKUP_S3_REGION",
      yaml: "s3_region",
      type: text,
      default: "us-east-1",
      doc: "Region of the bucket",
    },
    s3AccessKeyId: {
      env: "APPSERVER_BACKUP_S3_ACCESS_KEY_ID",
      yaml: "s3_access_key_id",
      type: text,
      doc: "Access key of S3. It needs to list, read, write and delete objects of the prefix",
    },
    s3SecretAccessKey: {
      env: "APPSERVER_BACKUP_S3_SECRET_ACCESS_KEY",
      yaml: "s3_secret_access_key",
      type: text,
      secret: true,
      doc: "Secret of the access key",
    },
  },
});
