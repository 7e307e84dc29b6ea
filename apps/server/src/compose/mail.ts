import type { Component } from "@appserver/kernel";
import type { Mail } from "@appserver/kernel/ports";
import { SmtpMail } from "@appserver/mail-smtp";
import type { ServeConfig } from "../config/serve-config.ts";

/** Returns what sends the platform's mail. Undefined if no server is configured. */
export function openMail({ url, from }: ServeConfig["mail"]): (Mail & Component) | undefined {
  return url === undefined || from === undefined ? undefined : new SmtpMail({ url, from });
}
