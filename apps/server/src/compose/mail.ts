import type { Component } from "@appserver/kernel";
import type { Mail } from "@appserver/kernel/ports";
import { SmtpMail } from "@appserver/mail-smtp";
import type { ServeConfig } from "../config/serve-config.ts";

/** Returns what sends the platform's mail. Undefined if no server is configured. */
export function openMail({ mail, branding }: Pick<ServeConfig, "mail" | "branding">): (Mail & Component) | undefined {
  const { url, from } = mail;
  return url === undefined || from === undefined ? undefined : new SmtpMail({ url, from, platformName: branding.name });
}
