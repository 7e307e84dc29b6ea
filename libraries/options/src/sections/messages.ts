import { defineSection, type FoundSection, type OptionIssue } from "../schema.ts";
import { listOf } from "../types/list.ts";
import { matching } from "../types/plain-types.ts";
import { url } from "../types/url-types.ts";

/** Mail of the platform: letters of accounts, and notifications. */
export const mailSection = defineSection({
  yaml: "mail",
  doc: "The server that sends mail in the platform's name.",
  options: {
    url: {
      env: "APPSERVER_MAIL_URL",
      yaml: "url",
      type: url("smtp", "smtps"),
      inFile: true,
      doc: "Server that sends mail, with user and password: `smtp://user:password@mail.example.com:587`. Without it a forgotten password of an account cannot be recovered, an invitation is a link that its maker hands on, and no notification goes by mail",
    },
    from: {
      env: "APPSERVER_MAIL_FROM",
      yaml: "from",
      type: matching(/^(?:[^<>\r\n]+ <)?[^\s<>@]+@[^\s<>@]+>?$/, "an address such as Appserver <appserver@example.com>"),
      doc: "Sender of mail. Required with `url`",
    },
  },
});

/** Notification targets of the configuration (docs/interface/notifications.md#configured-targets). */
export const notificationsSection = defineSection({
  yaml: "notifications",
  doc: "Receivers of a message when an incident begins and when it is over (docs/interface/notifications.md#configured-targets).",
  options: {
    mailTo: {
      env: "APPSERVER_NOTIFICATIONS_MAIL_TO",
      yaml: "mail_to",
      type: listOf(matching(/^[^\s<>@,]+@[^\s<>@,]+$/, "an address such as team@example.com")),
      doc: "Addresses that get mail. Needs `mail.url`",
    },
    webhookUrl: {
      env: "APPSERVER_NOTIFICATIONS_WEBHOOK_URL",
      yaml: "webhook_url",
      type: url("https", "http"),
      inFile: true,
      doc: "URL that gets signed POSTs. Needs `webhook_secret`",
    },
    webhookSecret: {
      env: "APPSERVER_NOTIFICATIONS_WEBHOOK_SECRET",
      yaml: "webhook_secret",
      type: matching(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/, "whsec_ and base64 of 24 bytes or more"),
      secret: true,
      doc: "Secret of Standard Webhooks with which the POSTs are signed: `whsec_` and base64 of 24 bytes or more",
    },
    slackUrl: {
      env: "APPSERVER_NOTIFICATIONS_SLACK_URL",
      yaml: "slack_url",
      type: url("https", "http"),
      secret: true,
      doc: "Incoming webhook of Slack, or of a server with the same interface",
    },
  },
});

/** Returns what lacks in the sections of messages. */
export function messageIssues(found: {
  readonly mail: FoundSection<typeof mailSection>;
  readonly notifications: FoundSection<typeof notificationsSection>;
}): readonly OptionIssue[] {
  const { mail, notifications } = found;
  const issues: OptionIssue[] = [];
  if (mail.url !== undefined && mail.from === undefined)
    issues.push({ at: ["mail", "from"], message: "missing; required with mail.url" });
  if (notifications.mailTo !== undefined && mail.url === undefined)
    issues.push({ at: ["mail", "url"], message: "missing; required with notifications.mail_to" });
  if (notifications.webhookUrl !== undefined && notifications.webhookSecret === undefined)
    issues.push({ at: ["notifications", "webhookSecret"], message: "missing; required with notifications.webhook_url" });
  return issues;
}
